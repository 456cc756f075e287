//! What the tests of the command share: running it from the root of the repository.

// Each test file is a program of its own and uses its share of this.
#![allow(dead_code, reason = "not every test program needs every helper")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Runs `grundy` with these arguments.
pub(crate) fn grundy(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(args).current_dir(root()).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.output().expect("grundy starts")
}

/// Runs `grundy` with these arguments and a text on standard input.
pub(crate) fn grundy_with_input(args: &[&str], input: &[u8]) -> Output {
    use std::io::Write;
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(args).current_dir(root()).env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("grundy starts");
    // A command that fails early does not read its input.
    let _ = child.stdin.take().expect("the input is a pipe").write_all(input);
    child.wait_with_output().expect("grundy ends")
}

/// The exit code.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().expect("grundy was not killed")
}

/// Standard output as one JSON object.
pub(crate) fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}{}", stderr(output)))
}

/// Standard error as text.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
