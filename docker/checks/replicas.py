"""Holds the manifests of many replicas to their schemas, to the image and to the settings.

The one argument names the function.
"""
import pathlib
import re
import sys

import yaml

here = pathlib.Path(__file__).parent.parent
compose_text = (here / "compose.replicas.yaml").read_text()
compose = yaml.safe_load(compose_text)
documents = list(yaml.safe_load_all((here / "kubernetes.replicas.yaml").read_text()))
kinds = {document["kind"]: document for document in documents}
dockerfile = (here / "Dockerfile").read_text()
user = int(re.search(r"^USER (\d+):", dockerfile, re.M)[1])
binary = re.search(r'^ENTRYPOINT \["(.+)"\]', dockerfile, re.M)[1]
port = int(re.search(r"^EXPOSE (\d+)", dockerfile, re.M)[1])
volume = re.search(r"^VOLUME (\S+)", dockerfile, re.M)[1]


def settings():
    """Every setting of config.example.toml as a name in the environment."""
    names, section = set(), ""
    for line in (here.parent / "config.example.toml").read_text().splitlines():
        if found := re.match(r"\[([a-z_.]+)\]$", line):
            section = found[1].replace(".", "__")
        elif found := re.match(r"(?:# )?([a-z_]+) = ", line):
            names.add(f"UNBURDEN_{section}__{found[1]}".upper())
    return names


def compose_schema():
    import compose_spec

    compose_spec.PyCompose.from_yaml(compose_text)


def compose_sense():
    replica, store = compose["services"]["unburden"], compose["services"]["s3"]
    for one in compose["services"].values():
        assert one["cap_drop"] == ["ALL"] and one["mem_limit"]
        assert one["security_opt"] == ["no-new-privileges:true"] and one["restart"] == "unless-stopped"
    assert replica["deploy"]["replicas"] == 3 and replica["read_only"]
    assert "ports" not in replica and "ports" not in store, "only the balancer is reached from outside"
    environment = replica["environment"]
    assert environment["UNBURDEN_STORE__CACHE_DIR"].startswith(f"{volume}/"), "the one folder to write to"
    credentials = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    assert all(environment[name] == store["environment"][name] for name in credentials)
    assert environment["UNBURDEN_STORE__ENDPOINT"] == "http://s3:8333"
    assert replica["healthcheck"]["test"] == ["CMD", binary, "healthcheck"]
    content = (here / compose["configs"]["balancer"]["file"]).read_text()
    servers = f"server-template replica 3 unburden:{port} "
    assert content.count(servers) == 2 and f"bind :{port}" in content
    named(environment)


def kubernetes_schema():
    import kubernetes_validate

    for document in documents:
        kubernetes_validate.validate(document, "1.37", strict=True)


def kubernetes_sense():
    deployment = kinds["Deployment"]
    template = deployment["spec"]["template"]
    spec, labels = template["spec"], template["metadata"]["labels"]
    [replica] = spec["containers"]
    selectors = [
        deployment["spec"]["selector"]["matchLabels"],
        kinds["Service"]["spec"]["selector"],
        kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ]
    assert all(selector == labels for selector in selectors), "one set of pods"
    assert "replicas" not in deployment["spec"], "the autoscaler's number is not set back"
    scaler = kinds["HorizontalPodAutoscaler"]["spec"]
    assert scaler["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    budget = kinds["PodDisruptionBudget"]["spec"]
    assert scaler["minReplicas"] > budget["maxUnavailable"], "somebody always answers"
    assert "cpu" in replica["resources"]["requests"], "utilization is of what was asked for"
    assert spec["securityContext"]["runAsUser"] == user and spec["securityContext"]["runAsNonRoot"]
    assert spec["serviceAccountName"] == kinds["ServiceAccount"]["metadata"]["name"]
    assert replica["ports"] == [{"name": "http", "containerPort": port}]
    assert kinds["Service"]["spec"]["ports"][0]["port"] == port
    probes = [replica[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    assert probes == ["/readyz", "/healthz", "/healthz"], "no replica leaves because the store is away"
    locked = replica["securityContext"]
    assert locked["readOnlyRootFilesystem"] and not locked["allowPrivilegeEscalation"]
    assert locked["capabilities"] == {"drop": ["ALL"]}
    paths = {mount["name"]: mount["mountPath"] for mount in replica["volumeMounts"]}
    assert set(paths) == {one["name"] for one in spec["volumes"]} and paths["workspace"] == volume
    data = kinds["ConfigMap"]["data"]
    assert data["UNBURDEN_STORE__CACHE_DIR"].startswith(f"{volume}/"), "the one folder to write to"
    [workspace] = [one for one in spec["volumes"] if one["name"] == "workspace"]
    room = int(workspace["emptyDir"]["sizeLimit"].removesuffix("Gi")) << 30
    assert int(data["UNBURDEN_STORE__CACHE_BYTES"]) < room, "the cache fits its volume"
    configured = [{"configMapRef": {"name": kinds["ConfigMap"]["metadata"]["name"]}}]
    assert replica["envFrom"] == configured
    [pod] = yaml.safe_load_all((here / "kubernetes.yaml").read_text())
    [beside] = pod["spec"]["initContainers"][0]["envFrom"]
    assert beside["configMapRef"]["name"] == kinds["ConfigMap"]["metadata"]["name"], "the sidecar's, too"
    named(data | {entry["name"]: "" for entry in replica["env"]})


def named(environment):
    """Every setting has a name that the service knows."""
    own = {name for name in environment if name.startswith("UNBURDEN_")}
    unknown = own - settings()
    assert own and not unknown, f"no such settings: {sorted(unknown)}"


globals()[sys.argv[1]]()
