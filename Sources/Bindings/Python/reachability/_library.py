# SPDX-License-Identifier: Apache-2.0
"""The functions and structures of reachability.h, declared for ctypes."""

import ctypes
import pathlib
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p


class Error(Structure):
    _fields_ = [("code", c_int), ("system_error", c_int), ("message", c_char * 248)]


class Options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("interface_name", c_char_p),
        ("source_address", c_char_p),
        ("mark", POINTER(c_uint)),
        ("user_id", POINTER(c_uint)),
        ("network_namespace", c_char_p),
        ("name_servers", POINTER(c_char_p)),
        ("timeout_milliseconds", c_uint),
        ("reserved", c_uint),
        ("transport", c_uint),
        ("port", c_uint),
        ("families", c_uint),
        ("policy", c_uint),
    ]


class Path(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("status", c_int),
        ("has_ipv4", c_int),
        ("has_ipv6", c_int),
        ("has_dns", c_int),
        ("is_expensive", c_int),
        ("is_constrained", c_int),
        ("connectivity", c_int),
        ("interface_name", c_char * 16),
        ("identity", c_uint64),
    ]


class SocketState(Structure):
    _fields_ = [("size", c_size_t), ("fate", c_int), ("reason", c_int), ("better_interface_name", c_char * 16)]


class Conditions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("not_expensive", c_int),
        ("not_constrained", c_int),
        ("required_kind", c_uint),
        ("prohibited_kinds", c_uint),
        ("stable_milliseconds", c_uint),
        ("reserved", c_uint),
    ]


# Without their last parameter, the context: what receives a value here takes one argument. By the calling conventions of C on
# Linux the caller passes and removes the arguments, and a function need not look at all of them.
Callback = CFUNCTYPE(None, c_uint)
PathCallback = CFUNCTYPE(None, POINTER(Path))
SocketCallback = CFUNCTYPE(None, POINTER(SocketState))

_error = POINTER(Error)
_functions = {
    "reachability_version": (c_char_p, []),
    "reachability_flags_to_text": (c_size_t, [c_uint, c_char_p, c_size_t]),
    "reachability_target_create": (c_int, [c_char_p, POINTER(Options), POINTER(c_void_p), _error]),
    "reachability_target_create_default": (c_int, [POINTER(Options), POINTER(c_void_p), _error]),
    "reachability_target_create_pair": (c_int, [c_char_p, c_char_p, POINTER(Options), POINTER(c_void_p), _error]),
    "reachability_target_free": (None, [c_void_p]),
    "reachability_target_get_flags": (c_int, [c_void_p, POINTER(c_uint), POINTER(c_int), _error]),
    "reachability_target_explain": (c_int, [c_void_p, POINTER(c_void_p), _error]),
    "reachability_target_explain_json": (c_int, [c_void_p, POINTER(c_void_p), _error]),
    "reachability_watcher_create": (c_int, [POINTER(c_void_p), _error]),
    "reachability_watcher_free": (None, [c_void_p]),
    "reachability_watcher_descriptor": (c_int, [c_void_p]),
    "reachability_watcher_add": (
        c_int, [c_void_p, c_void_p, Callback, c_void_p, c_void_p, POINTER(c_uint64), _error]),
    "reachability_watcher_add_path": (
        c_int, [c_void_p, POINTER(Options), PathCallback, c_void_p, c_void_p, POINTER(c_uint64), _error]),
    "reachability_watcher_add_gate": (
        c_int, [c_void_p, c_void_p, POINTER(Conditions), Callback, c_void_p, c_void_p, POINTER(c_uint64), _error]),
    "reachability_watcher_add_socket": (
        c_int, [c_void_p, c_void_p, SocketCallback, c_void_p, c_void_p, POINTER(c_uint64), _error]),
    "reachability_socket_create": (c_int, [c_int, POINTER(c_void_p), _error]),
    "reachability_socket_free": (None, [c_void_p]),
    "reachability_socket_get_state": (c_int, [c_void_p, POINTER(SocketState), _error]),
    "reachability_watcher_remove": (c_int, [c_void_p, c_uint64]),
    "reachability_watcher_process": (c_int, [c_void_p, _error]),
    "reachability_watcher_recheck": (None, [c_void_p]),
    "reachability_path_get": (c_int, [POINTER(Options), POINTER(Path), _error]),
    "reachability_path_get_json": (c_int, [POINTER(Options), POINTER(c_void_p), _error]),
}


# `make install` writes the path of the installed library here.
_INSTALLED = None


def _load() -> ctypes.CDLL:
    # A wheel contains the library. A package of a distribution finds it as programs do.
    bundled = pathlib.Path(__file__).with_name("libreachability.so.1")
    name = str(bundled) if bundled.exists() else _INSTALLED or bundled.name
    try:
        loaded = ctypes.CDLL(name, use_errno=True)
    except OSError as error:
        # The loader says which file is missing: this library, or libcares.so.2 (Debian's package libc-ares2).
        raise ImportError(f"the library of this package cannot be loaded: {error}", path=name) from error
    for function, (result, parameters) in _functions.items():
        entry = getattr(loaded, function)
        entry.restype, entry.argtypes = result, parameters
    return loaded


library = _load()
free = ctypes.CDLL(None).free
free.restype, free.argtypes = None, [c_void_p]
