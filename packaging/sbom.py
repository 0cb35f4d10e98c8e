#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py NAME VERSION FOLDER LIST: what a package is made of, as SPDX 2.3, to standard output. The programs in FOLDER
name the libraries that they load, and LIST (.ci/packages/build.txt) the packages whose headers and static code are
compiled in; dpkg knows the version and source of each. SOURCE_DATE_EPOCH is the time that it bears."""
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

FIELDS = ("Package", "Version", "Architecture", "source:Package", "source:Version", "Homepage")


def output(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def is_program(path):
    return path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF"


def libraries(program):
    """Paths of what the dynamic linker loads for a program; fails on one that is missing."""
    found = set()
    for line in output("ldd", str(program)).splitlines():
        if "not found" in line:
            raise SystemExit(f"sbom.py: {program}: {line.strip()}")
        words = line.split()
        if "=>" in words:
            found.add(os.path.realpath(words[words.index("=>") + 1]))
        elif words and words[0].startswith("/"):
            found.add(os.path.realpath(words[0]))
    return found


def owner(path):
    """The package that a file belongs to. With /usr merged, dpkg may know it by its name without /usr."""
    for name in (path, path.removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(": ")[0].split(",")[0]
    raise SystemExit(f"sbom.py: no package has {path}")


def installed(package):
    form = "\\t".join("${%s}" % field for field in FIELDS)
    done = subprocess.run(["dpkg-query", "-W", "-f", form, package], capture_output=True, text=True, check=False)
    values = done.stdout.split("\t")
    return dict(zip(FIELDS, values)) if done.returncode == 0 and values[1] else None


def element(facts):
    source = f"{facts['source:Package']} {facts['source:Version']}"
    return {
        "SPDXID": f"SPDXRef-{facts['Package'].replace('+', 'p').replace('_', '-')}",
        "name": facts["Package"],
        "versionInfo": facts["Version"],
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "homepage": facts["Homepage"] or "NOASSERTION",
        "sourceInfo": f"built from {source}",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{facts['Package']}@{facts['Version']}?arch={facts['Architecture']}",
        }],
    }


def listed(path):
    lines = (line.split("#")[0].strip() for line in pathlib.Path(path).read_text().splitlines())
    return [line for line in lines if line]


def document(name, version, folder, build_list):
    programs = sorted(path for path in pathlib.Path(folder).rglob("*") if is_program(path))
    loaded = {owner(path) for program in programs for path in libraries(program)}
    compiled = {package for package in listed(build_list) if package.endswith("-dev")}
    own = {
        "SPDXID": "SPDXRef-package",
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "Apache-2.0" if name != "hilgate-ns3" else "GPL-2.0-only",
        "copyrightText": "NOASSERTION",
        "comment": "; ".join(f"{program.relative_to(folder)}: SHA-256 {hashlib.sha256(program.read_bytes()).hexdigest()}"
                             for program in programs),
    }
    packages, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-package")]
    for kind, names in (("DEPENDS_ON", loaded), ("BUILD_DEPENDENCY_OF", compiled)):
        for package in sorted(names):
            facts = installed(package)
            if facts is None:
                continue  # optional, and not there when this was built
            packages.append(element(facts))
            other = packages[-1]["SPDXID"]
            relations.append(("SPDXRef-package", kind, other) if kind == "DEPENDS_ON" else (other, kind, "SPDXRef-package"))
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"https://hilgate.invalid/sbom/{name}-{version}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations],
    }


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    json.dump(document(*sys.argv[1:]), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
