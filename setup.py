"""Builds the Python module by CMake: the rest is in pyproject.toml and python/CMakeLists.txt.

CMAKE_ARGS in the environment goes to CMake, for example -DMGDM_TORCH=ON for training.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

source = pathlib.Path(__file__).parent.resolve()


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        module = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve()
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DMGDM_TORCH=OFF", "-DMGDM_TESTS=OFF",
                   "-DMGDM_BENCH=OFF", "-DMGDM_PYTHON_MODULE=ON", f"-DPython3_EXECUTABLE={sys.executable}"]
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
        options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", source, "-B", build, *options], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "mgdm_python"], check=True)
        module.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "python" / "mgdm" / module.name, module)
        shutil.copytree(source / "models", module.parent / "models", dirs_exist_ok=True)


version = re.search(r"project\(mgdm VERSION (\S+)", (source / "CMakeLists.txt").read_text())[1]
setup(version=version, ext_modules=[Extension("mgdm._mgdm", [])], cmdclass={"build_ext": CMakeBuild})
