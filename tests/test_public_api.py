"""The public names: listed three times, all the same, and all there."""

import ast
import inspect
import pkgutil
from importlib import import_module

import numpydoc.validate
import pytest

import bayeseval as be


def _type_checking_imports() -> dict[str, str]:
    """Names to modules, as a type checker reads them."""
    tree = ast.parse(inspect.getsource(be))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    return {
        alias.asname or alias.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module != "bayeseval"
        for alias in node.names
    }


def test_all_lists_the_table() -> None:
    assert len(be.__all__) == len(set(be.__all__))
    assert sorted(be.__all__) == sorted(be._MODULE_OF)


def test_type_checkers_see_the_table() -> None:
    assert _type_checking_imports() == be._MODULE_OF


@pytest.mark.parametrize("name", be.__all__)
def test_name_resolves(name: str) -> None:
    value = getattr(be, name)
    assert value is getattr(import_module(be._MODULE_OF[name]), name)
    assert not inspect.ismodule(value), "a submodule hides the public name"
    assert name in import_module(be._MODULE_OF[name]).__all__


@pytest.mark.parametrize("package", sorted({"bayeseval", *be._MODULE_OF.values()}))
def test_no_submodule_shares_a_public_name(package: str) -> None:
    # Importing a submodule binds its name in the package, over whatever stood there.
    submodules = {
        m.name for m in pkgutil.iter_modules(getattr(import_module(package), "__path__", []))
    }
    assert not submodules & set(be.__all__)


def test_dir_lists_the_public_names() -> None:
    assert set(be.__all__) <= set(dir(be))
    assert "__version__" in dir(be)


@pytest.mark.parametrize("name", be._MODULES)
def test_public_module_is_an_attribute(name: str) -> None:
    assert getattr(be, name) is import_module(f"bayeseval.{name}")
    assert name in dir(be)
    assert f"from bayeseval import {name} as {name}" in inspect.getsource(be)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'bayeseval' has no attribute 'pass_at_kk'"):
        _ = be.pass_at_kk


def _documented(name: str) -> list[str]:
    """The name itself and, for a class, its public methods."""
    value = getattr(be, name)
    methods = (
        [
            f"{name}.{member}"
            for member, function in vars(value).items()
            if not member.startswith("_")
            and (inspect.isfunction(function) or isinstance(function, classmethod | staticmethod))
        ]
        if inspect.isclass(value)
        else []
    )
    return [name, *methods]


@pytest.mark.parametrize("name", be.__all__)
def test_documented_parameters_are_the_real_ones(name: str) -> None:
    # PR01: a parameter is not documented; PR02: a documented parameter does not exist.
    # A method that explains itself in one line, with no Parameters section, may stay so.
    wrong = []
    for path in _documented(name):
        found = numpydoc.validate.validate(f"bayeseval.{path}")
        is_method = "." in path
        one_line = is_method and "Parameters\n" not in found["docstring"]
        codes = {"PR02"} if one_line else {"PR01", "PR02"}
        wrong += [f"{path}: {message}" for code, message in found["errors"] if code in codes]
    assert not wrong
