#!/usr/bin/env python3
"""Verifies one workspace of a Sightline store, without any code of Sightline: Python's standard library and openssl.

    verify.py STORE WORKSPACE PUBLIC_KEY.pem [PROOF.tlog-proof LOG_ORIGIN]

STORE is a folder or a copy of a bucket. Checked: every manifest from the pointer back to the first, each by its hash
and its signature; every document, or the signed tombstone of a pruned snapshot; and, with a proof, that its snapshot
is in the log whose checkpoint the same key signed. Exit status 1 with one line that says what is not intact."""
import base64, hashlib, json, pathlib, subprocess, sys, tempfile

def sha256(data):
    return hashlib.sha256(data).hexdigest()

def require(is_so, what):
    if not is_so:
        sys.exit(f"NOT INTACT: {what}")

def read_json(path):
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        require(False, f"{path} cannot be read: {error}")

def signed(public_key, data, signature):
    """Ed25519 (RFC 8032) by openssl 3."""
    with tempfile.TemporaryDirectory() as folder:
        message, proof = pathlib.Path(folder, "message"), pathlib.Path(folder, "signature")
        message.write_bytes(data)
        proof.write_bytes(signature)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public_key, "-rawin"]
        return subprocess.run([*command, "-in", message, "-sigfile", proof], capture_output=True).returncode == 0

def read_manifest(folder, link):
    """The manifest of this hash: it has its usual name, or one with the hash in it."""
    for path in [folder / "manifest.json", folder / f"manifest.{link['manifestSha256'][:16]}.json"]:
        if path.is_file() and sha256(path.read_bytes()) == link["manifestSha256"]:
            return path.read_bytes()
    require(False, f"{folder} has no manifest with the SHA-256 {link['manifestSha256']}")

def is_pruned(base, link, public_key):
    """True if a signed tombstone says that the documents were removed on purpose."""
    path = base / "tombstones" / f"{link['snapshotId']}.json"
    if not path.exists():
        return False
    require(read_json(path).get("manifestSha256") == link["manifestSha256"], f"{path} is not of this snapshot")
    signature = path.with_name(f"{link['snapshotId']}.{sha256(path.read_bytes())[:16]}.sig")
    require(signature.is_file() and signed(public_key, path.read_bytes(), signature.read_bytes()), f"{path} is not signed by this key")
    return True

def verify_chain(store, workspace, public_key):
    """Returns every manifest by its hash."""
    base = store / "workspaces" / workspace
    link, below, manifests = read_json(base / "current.json"), None, {}
    while link:
        folder = base / "snapshots" / link["snapshotId"]
        data = read_manifest(folder, link)
        manifest = json.loads(data)
        require((manifest["workspaceId"], manifest["snapshotId"]) == (workspace, link["snapshotId"]), f"{folder} has another's manifest")
        require(below in (None, manifest["sequence"] + 1), f"{folder}: the sequence has a gap")
        signature = folder / f"manifest.{link['manifestSha256'][:16]}.sig"
        require(signature.is_file() and signed(public_key, data, signature.read_bytes()), f"{folder} is not signed by this key")
        pruned = is_pruned(base, link, public_key)
        require(not (pruned and below is None), "the current snapshot has a tombstone")
        for document in [] if pruned else manifest["documents"]:
            path = folder / document["path"]
            require(path.is_file() and sha256(path.read_bytes()) == document["sha256"], f"{path} was altered or removed")
        print(f"{manifest['sequence']:5}  {manifest['publishedAt']}  {link['snapshotId']}{'  (pruned)' if pruned else ''}")
        manifests[link["manifestSha256"]] = manifest
        below, link = manifest["sequence"], manifest["previous"]
    require(below == 1, "the chain does not begin with snapshot 1")
    return manifests

def verify_checkpoint(text, public_key, origin):
    """A signed note (c2sp.org/signed-note, tlog-checkpoint). Returns tree size and root hash."""
    body, _, signatures = text.rpartition("\n\n")
    name, size, root = body.split("\n")[:3]
    require(name == origin, f"the checkpoint is of the log {name}")
    der = subprocess.run(["openssl", "pkey", "-pubin", "-in", public_key, "-outform", "DER"], capture_output=True, check=True).stdout
    key_id = hashlib.sha256(f"{origin}\n".encode() + b"\x01" + der[-32:]).digest()[:4]
    lines = map(str.split, signatures.splitlines())
    own = [base64.b64decode(signature) for dash, name, signature in lines if (dash, name) == ("\u2014", origin)]
    own = [signature[4:] for signature in own if signature[:4] == key_id]
    require(own and all(signed(public_key, f"{body}\n".encode(), signature) for signature in own), "the checkpoint is not signed by this key")
    return int(size), base64.b64decode(root)

def included(entry, index, size, root, path):
    """RFC 9162, section 2.1.3.2."""
    node = lambda left, right: hashlib.sha256(b"\x01" + left + right).digest()
    last, hash_ = size - 1, hashlib.sha256(b"\x00" + entry).digest()
    for sibling in map(base64.b64decode, path):
        if last == 0 or index > last:
            return False
        if index % 2 == 1 or index == last:
            hash_ = node(sibling, hash_)
            while index % 2 == 0 and index != 0:
                index, last = index // 2, last // 2
        else:
            hash_ = node(hash_, sibling)
        index, last = index // 2, last // 2
    return last == 0 and index == 0 and hash_ == root

def verify_proof(file, manifests, workspace, public_key, origin):
    """A proof of inclusion (c2sp.org/tlog-proof) for one of the manifests."""
    head, _, checkpoint = pathlib.Path(file).read_text(encoding="utf-8").partition("\n\n")
    first, extra, index, *path = head.split("\n")
    require(first == "c2sp.org/tlog-proof@v1", f"{file} is not a proof")
    says = json.loads(entry := base64.b64decode(extra.removeprefix("extra ")))
    manifest = manifests.get(says["manifestSha256"]) or require(False, "the proof is for a manifest that is not in the chain")
    is_same = all(says[name] == manifest[name] for name in ["workspaceId", "sequence", "snapshotId", "publishedAt"])
    require(is_same, "the log entry does not match the manifest")
    size, root = verify_checkpoint(checkpoint, public_key, origin)
    require(included(entry, int(index.removeprefix("index ")), size, root, path), "the proof does not lead to the checkpoint")
    print(f"in the log: {says['snapshotId']}, {index} of {size}")

if len(sys.argv) not in (4, 6):
    sys.exit(__doc__)
chain = verify_chain(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3])
if len(sys.argv) == 6:
    verify_proof(sys.argv[4], chain, sys.argv[2], sys.argv[3], sys.argv[5])
print("Intact.")
