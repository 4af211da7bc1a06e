#!/bin/sh
# The main job, as a newcomer would see it: a double pendulum for 50000 steps, and a rigid body.
set -eu
holonom=$1
out=demo-double-pendulum.csv
echo
echo "\$ holonom check models/double-pendulum.toml"
"$holonom" check models/double-pendulum.toml
echo
echo "\$ holonom run models/double-pendulum.toml --until 6000 --every 50 --out $out"
"$holonom" run models/double-pendulum.toml --until 6000 --every 50 --out "$out" --force
echo
echo "\$ holonom run models/rigid-body-free.toml --precision quad"
"$holonom" run models/rigid-body-free.toml --precision quad
