"""The package: builds without a network, installs nothing else, and is Python 3.9."""

import ast
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def sources():
    for folder, _, files in os.walk(HERE):
        yield from (os.path.join(folder, f) for f in files if f.endswith(".py"))


class Package(unittest.TestCase):

    def test_the_wheel_works_without_the_sources_and_without_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            told = subprocess.run(
                [sys.executable, os.path.join(HERE, "build_backend.py"), folder],
                check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode().split()
            wheel, sdist = told
            with zipfile.ZipFile(wheel) as archive:
                names = archive.namelist()
            self.assertIn("deepvm/py.typed", names)
            self.assertIn("deepvm-0.1.0.dist-info/RECORD", names)
            with tarfile.open(sdist) as archive:
                self.assertIn("deepvm-0.1.0/build_backend.py", archive.getnames())
            script = ("import sys; sys.modules['torch'] = sys.modules['numpy'] = None\n"
                      "import deepvm, deepvm.checkpoint, deepcheck\n"
                      "assert deepcheck is deepvm.checkpoint and deepcheck.connect\n"
                      "print(deepvm.__file__)")
            told = subprocess.run(
                [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, %r)\n%s" % (wheel, script)],
                check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode()
            self.assertTrue(told.startswith(wheel), told)

    def test_the_same_sources_make_the_same_wheel(self):
        made = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, os.path.join(HERE, "build_backend.py"), folder],
                               check=True, stdout=subprocess.DEVNULL, timeout=60)
                made.append({f: open(os.path.join(folder, f), "rb").read()
                             for f in sorted(os.listdir(folder))})
        self.assertEqual(made[0], made[1])

    def test_every_file_is_python_3_9(self):
        for file in sources():
            with open(file, encoding="utf-8") as source:
                ast.parse(source.read(), file, feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
