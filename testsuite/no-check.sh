#!/usr/bin/env bash
# Runs in place of the unit tests where the Check library is not installed.
echo '1..0 # SKIP the unit tests need the Check library (Debian: check)'
