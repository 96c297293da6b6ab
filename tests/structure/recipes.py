# SPDX-License-Identifier: BSD-3-Clause
"""usage: recipes.py <root of the repository> <cmake>

Reads what other package managers and the forge are told: package.xml and colcon.pkg, packaging/conda, packaging/vcpkg,
.github/workflows. Fails where one
cannot be read, lacks what it must have, or names an option, file or feature that is not there. That the numbers of the
version are the same is version.sh's.
"""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv[1]).resolve()
CMAKE = sys.argv[2]
CONDA = ROOT / "packaging/conda/meta.yaml"
PORT = ROOT / "packaging/vcpkg/quoin"

# Stands in for vcpkg's own functions, tells with which arguments they are called, and touches no file.
VCPKG = """
set(CURRENT_PORT_DIR "{port}")
macro(told name)
  message(STATUS "{mark}${{name}};${{ARGN}}")
endmacro()
function(vcpkg_check_features)
  told(vcpkg_check_features ${{ARGN}})
  set(left_out -DLEFT_OUT=ON PARENT_SCOPE)
endfunction()
foreach(name vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig
    vcpkg_install_copyright file)
  cmake_language(EVAL CODE "function(${{name}})\\n told(${{name}} \\${{ARGN}})\\n endfunction()")
endforeach()
include("{port}/portfile.cmake")
"""


def check(true, words):
    if not true:
        raise SystemExit(words)


def known_options(arguments, where):
    """Those of our own that CMake would take in silence, and do nothing."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    finders = {path.name[4:-6] for path in (ROOT / "cmake").glob("Find*.cmake")}
    known = set(re.findall(r"^option\((\w+)", text, re.MULTILINE)) | {"QUOIN_COMPONENTS"}
    for name in re.findall(r"-D(\w+)=", " ".join(arguments)):
        package = name.rpartition("CMAKE_DISABLE_FIND_PACKAGE_")[2]
        check(name in known or package in finders | {"CLI11"} or name == "CMAKE_BUILD_TYPE", f"{where}: no option {name}")


def colcon():
    package = xml.etree.ElementTree.parse(ROOT / "package.xml").getroot()
    check((package.tag, package.get("format")) == ("package", "3"), "package.xml: not of format 3")
    for name in ("name", "version", "description", "maintainer", "license"):
        check((package.findtext(name) or "").strip(), f"package.xml: no {name}")
    check(package.find("maintainer").get("email"), "package.xml: the maintainer has no address")
    check(package.findtext("export/build_type") == "cmake", "package.xml: not built by CMake")
    metadata = json.loads((ROOT / "colcon.pkg").read_text(encoding="utf-8"))
    check(metadata["name"] == package.findtext("name"), "colcon.pkg: another name")
    known_options(metadata["cmake-args"], "colcon.pkg")


def plain_yaml(text, name):
    """What a file has of YAML, where no reader of YAML is installed: its sections, and how they are indented."""
    for number, line in enumerate(text.splitlines(), 1):
        sound = re.fullmatch(r"( {2})*(#.*|- \S.*|[\w-]+:( .*)?)?", line) and line.count('"') % 2 == 0
        check(sound, f"{name}:{number}: {line}")
    return re.findall(r"^(\w+):", text, re.MULTILINE)


def forge():
    """The forge runs the check, and the whole check as .ci/run does, which may leave the sanitizers out."""
    text = (ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8")
    check(plain_yaml(text, "check.yml") == ["name", "on", "jobs"], "check.yml: other sections")
    runs = re.findall(r"^ +- run: (.*)$", text, re.MULTILINE)
    with contextlib.suppress(ImportError):
        import yaml

        steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
        check([step["run"] for step in steps if "run" in step] == runs, "check.yml: it runs something else than it seems to")
    own = [run for run in runs if "apt-get" not in run]
    last = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()[-1]
    whole = last.split(" && ")[-1].removesuffix(" --no-sanitizers")
    check(own == ["./scripts/test.sh", whole], f"check.yml runs {own}, .ci/run {whole}")


def conda():
    text = CONDA.read_text(encoding="utf-8")
    sections = plain_yaml(text, "meta.yaml")
    try:
        import yaml
    except ImportError:
        print("meta.yaml: looked at, but not read, there is no reader of YAML (Debian: python3-yaml)")
    else:
        recipe = yaml.safe_load(text)
        sections = list(recipe)
        check(isinstance(recipe["package"]["version"], str), "meta.yaml: the version is a number, not a text")
        check((CONDA.parent / recipe["source"]["path"]).resolve() == ROOT, "meta.yaml: other sources than these")
        check((ROOT / recipe["about"]["license_file"]).exists(), "meta.yaml: there is no such licence file")
        for name in recipe["test"]["imports"]:
            path = ROOT / "python" / name.replace(".", "/")
            check(path.is_dir() or path.with_suffix(".py").exists(), f"meta.yaml: there is no {name}")
    check(sections == ["package", "source", "build", "requirements", "test", "about"], f"meta.yaml: sections {sections}")


def vcpkg():
    manifest = json.loads((PORT / "vcpkg.json").read_text(encoding="utf-8"))
    for name in ("name", "version", "description", "license", "dependencies", "features"):
        check(name in manifest, f"vcpkg.json: no {name}")
    check(manifest["name"] == PORT.name, "vcpkg.json: the name is not the folder's")
    mark = "told: "
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "try.cmake")
        script.write_text(VCPKG.format(port=PORT, mark=mark))
        done = subprocess.run([CMAKE, "-P", str(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(done.returncode == 0, f"portfile.cmake:\n{done.stdout}")
    lines = [line.partition(mark)[2].split(";") for line in done.stdout.splitlines() if mark in line]
    calls = {name: arguments for name, *arguments in lines}
    features = calls["vcpkg_check_features"][3:]
    check(set(features[::2]) == set(manifest["features"]), f"portfile.cmake: other features than vcpkg.json: {features}")
    known_options([f"-D{name}=ON" for name in features[1::2]], "portfile.cmake")
    configure = calls["vcpkg_cmake_configure"]
    check(configure[:2] == ["SOURCE_PATH", str(ROOT)], f"portfile.cmake: other sources than these: {configure}")
    check("-DLEFT_OUT=ON" in configure, "portfile.cmake: features change nothing")
    known_options([option for option in configure if option != "-DLEFT_OUT=ON"], "portfile.cmake")


colcon()
conda()
vcpkg()
forge()
