#!/bin/sh
# Packs the project, installs the tarball in an empty folder, and does there what a newcomer does. Needs the npm registry.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$project" && npm pack --silent --pack-destination "$folder" > /dev/null)
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-fund --no-audit --ignore-scripts ./firn-etl-*.tgz
test -s node_modules/firn-etl/dist/THIRD_PARTY_LICENSES.txt
node_modules/.bin/firn --version
node_modules/.bin/firn streams > /dev/null
node_modules/.bin/firn init --node http://127.0.0.1:1 > /dev/null
test -s firn.yaml
node_modules/.bin/firn demo --folder demo > demo.txt
tail -n 25 demo.txt
node_modules/.bin/firn --config demo/firn.yaml verify
echo "The package works."
