#!/bin/bash
# Builds the wheel and the source distribution, and tests the wheel in a fresh environment. What is compiled goes to target/ of
# the repository, so that a second run builds little. Packages come from pip; those of the folder that SATIR_SITE names (the
# `site-packages` of an environment that has apache-tvm and numpy) are used from there instead of being installed again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(cd .. && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} CARGO_TERM_COLOR=never PIP_DISABLE_PIP_VERSION_CHECK=1
PYTHON=${PYTHON:-python3}
work=$CARGO_TARGET_DIR/python
rm -rf "$work/venv" "$work/dist"
mkdir -p "$work"

# Debian's Python has venv, but no ensurepip.
"$PYTHON" -m venv "$work/venv" 2>/dev/null || {
    rm -rf "$work/venv"
    "$PYTHON" -m virtualenv --version >/dev/null 2>&1 || "$PYTHON" -m pip install --quiet virtualenv
    "$PYTHON" -m virtualenv --quiet "$work/venv"
}
python=$work/venv/bin/python
"$python" -m pip install --quiet "maturin>=1.9,<2" twine mypy sympy cloudpickle
# The checks of the code are on (`debug_assert`, overflow); `SATIR_PROFILE=release` builds what users get.
"$python" -m maturin build --profile "${SATIR_PROFILE:-dev}" --compatibility linux --out "$work/dist"
"$python" -m maturin sdist --out "$work/dist"
"$python" -m twine check --strict "$work"/dist/*
"$python" -m pip install --quiet --no-deps "$work"/dist/*.whl
if [ -n "${SATIR_SITE:-}" ]; then
    echo "$SATIR_SITE" >"$("$python" -c 'import site; print(site.getsitepackages()[0])')/tvm.pth"
else
    "$python" -m pip install --quiet "apache-tvm>=0.27,<0.28" numpy
fi
"$work/venv/bin/satir" --version
# Not from the source tree: what is tested is what was installed.
cd "$work"
"$python" -m mypy --config-file "$root/python/pyproject.toml" --no-incremental -p satir
"$python" -m unittest discover -s "$root/python/tests"
