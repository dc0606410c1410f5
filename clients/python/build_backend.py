"""Builds the package with the standard library alone (PEP 517): python3 build_backend.py [FOLDER]."""

import base64
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
_EPOCH = (1980, 1, 1, 0, 0, 0)


def _project():
    """Returns the plain fields of [project]; tomllib is not in Python 3.9."""
    with open(os.path.join(HERE, "pyproject.toml")) as file:
        text = file.read().split("[project]")[1]
    fields = dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.MULTILINE))
    fields["license"] = re.search(r'license = \{ text = "(.*)" \}', text).group(1)
    fields["classifiers"] = re.findall(r'"([^"]+)"', re.search(
        r"^classifiers = \[(.*)\]$", text, re.MULTILINE).group(1))
    return fields


def _modules():
    """Returns the files that are installed, in a fixed order."""
    found = ["deepcheck.py"]
    for folder, folders, files in os.walk(os.path.join(HERE, "deepvm")):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        found += [os.path.relpath(os.path.join(folder, f), HERE) for f in files
                  if f.endswith(".py") or f == "py.typed"]
    return sorted(found)


def _read(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return file.read()


def _metadata(project):
    lines = ["Metadata-Version: 2.1", "Name: " + project["name"], "Version: " + project["version"],
             "Summary: " + project["description"], "License: " + project["license"],
             "Requires-Python: " + project["requires-python"]]
    lines += ["Classifier: " + c for c in project["classifiers"]]
    lines += ["Description-Content-Type: text/markdown", "", _read("README.md").decode()]
    return "\n".join(lines).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    project = _project()
    stem = "%s-%s" % (project["name"], project["version"])
    info = stem + ".dist-info/"
    contents = {name: _read(name) for name in _modules()}
    contents[info + "METADATA"] = _metadata(project)
    contents[info + "WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: deepvm\n"
                                b"Root-Is-Purelib: true\nTag: py3-none-any\n")
    record = ""
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (name, digest, len(data))
    contents[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    file = stem + "-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, file), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return file


def build_sdist(sdist_directory, config_settings=None):
    """Writes the sdist and returns its name."""
    project = _project()
    stem = "%s-%s" % (project["name"], project["version"])
    names = _modules() + ["pyproject.toml", "README.md", "build_backend.py"]
    names += sorted(f for f in os.listdir(HERE) if f.startswith("test_") and f.endswith(".py"))
    contents = {name: _read(name) for name in names}
    contents["PKG-INFO"] = _metadata(project)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in contents.items():
            entry = tarfile.TarInfo(stem + "/" + name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    file = stem + ".tar.gz"
    with open(os.path.join(sdist_directory, file), "wb") as target:
        target.write(gzip.compress(packed.getvalue(), mtime=0))
    return file


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


if __name__ == "__main__":
    into = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "dist")
    os.makedirs(into, exist_ok=True)
    print(os.path.join(into, build_wheel(into)))
    print(os.path.join(into, build_sdist(into)))
