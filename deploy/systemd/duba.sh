#!/bin/sh
# `duba` for root: runs a command as the service's user, with the service's settings. Relative paths begin in /var/lib/duba.
exec /opt/duba/node_modules/.bin/node /opt/duba/deploy/systemd/run.js "$@"
