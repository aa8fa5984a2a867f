#!/bin/sh
# `duba` for root: runs a command as the service's user, with the service's settings. Relative paths begin in /var/lib/duba.
set -eu
cd /var/lib/duba
exec runuser -u duba -- /opt/duba/node_modules/.bin/node --env-file=/etc/duba/settings /opt/duba/bin/duba.js "$@"
