# Unpacks a Debian package, and what it needs and is not there, into a folder; the system stays as it is.
set -e
package=$1
folder=$2
mkdir -p "$folder/packages"
cd "$folder/packages"
names=$(apt-get install --print-uris -qq "$package" | sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p")
test -n "$names"
apt-get download $names
for file in *.deb; do
    dpkg-deb -x "$file" ..
done
