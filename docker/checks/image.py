"""Holds the configuration of the built image (the JSON of `buildah inspect`) to its promise."""
import json
import sys

config = json.load(open(sys.argv[1]))["Docker"]["config"]
binary = "/usr/local/bin/unburden"
labels = {key.removeprefix("org.opencontainers.image."): value for key, value in config["Labels"].items()}
expected = {
    "User": "65532:65532",
    "WorkingDir": "/workspace",
    "Volumes": {"/workspace": {}},
    "ExposedPorts": {"8002/tcp": {}},
    "Entrypoint": [binary],
    "Cmd": ["serve"],
}
for key, value in expected.items():
    assert config[key] == value, f"{key} is {config[key]}"
assert config["Healthcheck"]["Test"] == ["CMD", binary, "healthcheck"], config["Healthcheck"]
for setting in ("UNBURDEN_STORE__ROOTS=/workspace", "UNBURDEN_SERVER__LISTEN=0.0.0.0:8002"):
    assert setting in config["Env"], config["Env"]
assert labels["title"] == "unburden" and labels["licenses"] == "Apache-2.0" and labels["description"], labels
