"""Holds a manifest to its schema, and to what the other files of the folder say.

The one argument names the function: what is checked, or agent_script, which prints.
"""
import pathlib
import re
import sys

import yaml

here = pathlib.Path(__file__).parent.parent
compose_text = (here / "compose.yaml").read_text()
compose = yaml.safe_load(compose_text)
service, agent = compose["services"]["unburden"], compose["services"]["agent"]
[pod] = yaml.safe_load_all((here / "kubernetes.yaml").read_text())
[sidecar], [beside] = pod["spec"]["initContainers"], pod["spec"]["containers"]
dockerfile = (here / "Dockerfile").read_text()
user = re.search(r"^USER (\d+):", dockerfile, re.M)[1]
binary = re.search(r'^ENTRYPOINT \["(.+)"\]', dockerfile, re.M)[1]
port = int(re.search(r"^EXPOSE (\d+)", dockerfile, re.M)[1])
volume = re.search(r"^VOLUME (\S+)", dockerfile, re.M)[1]


def compose_schema():
    import compose_spec

    compose_spec.PyCompose.from_yaml(compose_text)


def compose_sense():
    for one in (service, agent):
        assert f"workspace:{volume}" in one["volumes"], "the volume, at the image's path"
        assert one["read_only"] and one["cap_drop"] == ["ALL"] and one["mem_limit"]
        assert one["security_opt"] == ["no-new-privileges:true"]
        [secret] = one["secrets"]
        token_file = f"/run/secrets/{secret}"
        assert token_file in one["environment"].values(), "the token file is the secret"
    assert agent["user"].split(":")[0] == user, "stored files are readable by their owner only"
    assert agent["depends_on"]["unburden"]["condition"] == "service_healthy"
    assert agent["environment"]["SIDECAR"] == f"http://unburden:{port}"
    assert service["healthcheck"]["test"] == ["CMD", binary, "healthcheck"]
    assert service["restart"] == "unless-stopped"
    assert (here / service["build"]["context"] / service["build"]["dockerfile"]).samefile(here / "Dockerfile")


def kubernetes_schema():
    import kubernetes_validate

    kubernetes_validate.validate(pod, "1.37", strict=True)


def kubernetes_sense():
    spec = pod["spec"]
    assert spec["securityContext"]["runAsUser"] == int(user) and spec["securityContext"]["runAsNonRoot"]
    assert spec["enableServiceLinks"] is False
    assert sidecar["restartPolicy"] == "Always", "a native sidecar"
    assert sidecar["ports"] == [{"name": "http", "containerPort": port}]
    probes = {name: sidecar[name]["httpGet"] for name in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert [probe["path"] for probe in probes.values()] == ["/readyz", "/readyz", "/healthz"]
    volumes = {one["name"] for one in spec["volumes"]}
    for one in (sidecar, beside):
        locked = one["securityContext"]
        assert locked["readOnlyRootFilesystem"] and not locked["allowPrivilegeEscalation"]
        assert locked["capabilities"] == {"drop": ["ALL"]}
        paths = {mount["name"]: mount["mountPath"] for mount in one["volumeMounts"]}
        assert set(paths) <= volumes and paths["workspace"] == volume
        token_file = paths["token"] + "/token"
        assert token_file in [entry["value"] for entry in one["env"]], "the token file is the secret"
    assert beside["args"] == [agent_script()], "both placeholders send the same request"


def agent_script():
    [script] = agent["command"]
    return script.replace("$$", "$")


said = globals()[sys.argv[1]]()
if said:
    print(said)
