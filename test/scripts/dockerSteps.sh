#!/usr/bin/env bash
# Does what the Dockerfile does, in a temporary folder and without Docker: copies what it copies (only what .dockerignore lets in), runs
# its RUN lines, and starts firn from the last stage. By hand: bash test/scripts/dockerSteps.sh
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# The user of the image is not one of this machine.
mkdir "$root/bin"
printf '#!/bin/sh\n' >"$root/bin/chown"
chmod +x "$root/bin/chown"

# The context: what .dockerignore names after an exclamation mark.
mkdir "$root/context"
grep '^!' "$here/.dockerignore" | cut -c2- | while read -r path; do
  mkdir -p "$root/context/$(dirname "$path")"
  cp -r "$here/$path" "$root/context/$path"
done

stage=0
workdir=/
# Lines that end in a backslash go on.
sed -e ':a' -e '/\\$/N' -e 's/\\\n//' -e 'ta' "$here/Dockerfile" | while read -r instruction rest; do
  case $instruction in
    FROM)
      name=$stage
      [[ $rest == *' AS '* ]] && name=${rest##* AS }
      stage=$((stage + 1))
      base="$root/stage-$name"
      mkdir -p "$base"
      echo "$base" >"$root/last"
      ;;
    WORKDIR)
      workdir=$rest
      mkdir -p "$base$workdir"
      ;;
    COPY)
      from="$root/context"
      while [[ $rest == --* ]]; do
        flag=${rest%% *}
        rest=${rest#* }
        [[ $flag == --from=* ]] && from="$root/stage-${flag#--from=}"
      done
      read -ra words <<<"$rest"
      target=${words[-1]}
      [[ $target == /* ]] && target="$base$target" || target="$base$workdir/$target"
      for source in "${words[@]::${#words[@]}-1}"; do
        if [[ -d $from/${source#/} ]]; then
          mkdir -p "$target"
          cp -r "$from/${source#/}/." "$target"
        else
          mkdir -p "$(dirname "$target")"
          cp "$from/${source#/}" "$target"
        fi
      done
      ;;
    RUN)
      echo "RUN $rest"
      (cd "$base$workdir" && PATH="$root/bin:$PATH" sh -ec "$rest")
      ;;
  esac
done

opt="$(cat "$root/last")/opt/firn"
du -sh "$opt"
cd "$root"
node "$opt/dist/cli/main.js" --version
node "$opt/dist/cli/main.js" streams | head -3
# The healthcheck of a container that has nothing to show yet fails.
if node "$opt/dist/cli/main.js" --quiet status --check 2>/dev/null; then echo 'status of nothing must fail' && exit 1; fi
echo 'The steps of the Dockerfile work.'
