# SPDX-License-Identifier: Apache-2.0
"""wheel.py VERSION LIBRARY NOTICE LIBC FOLDER: writes a wheel with the package, the C library, and the notice of what is linked
into that (the format is that of
https://packaging.python.org/en/latest/specifications/binary-distribution-format/)."""

import base64
import hashlib
import os
import pathlib
import platform
import sys
import time
import zipfile

METADATA = """\
Metadata-Version: 2.1
Name: reachability
Version: {version}
Summary: Whether a host can be reached, by the kernel's own route lookup, and how that changes
License: Apache-2.0
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Requires-Python: >=3.11
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def main(version: str, library: str, notice: str, libc: str, folder: str) -> None:
    here = pathlib.Path(__file__).parent
    # The library is called through ctypes, so that any Python can use it. It needs only the libc, of this version or a later one
    # (PEP 600).
    tag = f"py3-none-manylinux_{libc.replace('.', '_')}_{platform.machine()}"
    info = f"reachability-{version}.dist-info"
    files = {f"reachability/{path.name}": path.read_bytes() for path in (here / "reachability").iterdir() if path.is_file()}
    files[f"reachability/{pathlib.Path(library).name}"] = pathlib.Path(library).read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    files[f"{info}/LICENSE"] = (here.parents[2] / "LICENSE").read_bytes()
    files[f"{info}/LICENSE.c-ares"] = pathlib.Path(notice).read_bytes()
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}")
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()

    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6]
    path = pathlib.Path(folder) / f"reachability-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        # The information comes last, as the format recommends.
        for name, content in sorted(files.items(), key=lambda file: (file[0].startswith(info), file[0])):
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    print(path)


main(*sys.argv[1:])
