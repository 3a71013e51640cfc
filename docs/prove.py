"""Reads a document of a past week and proves offline that it was published then.

    SIGHTLINE_URL=… SIGHTLINE_API_KEY=… python3 prove.py SNAPSHOT brands/BRAND/visibility PUBLIC_KEY.pem

Needs the openssl command for Ed25519 (3.0 or newer), and otherwise only Python's standard library."""

import base64, hashlib, json, os, subprocess, sys, tempfile, urllib.request


def get(path):
    try:
        request = urllib.request.Request(os.environ["SIGHTLINE_URL"].rstrip("/") + path)
        # A redirect can lead to another host.
        request.add_unredirected_header("Authorization", "Bearer " + os.environ["SIGHTLINE_API_KEY"])
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()
    except (KeyError, OSError, ValueError) as error:
        sys.exit(f"{path} cannot be read: " + (f"set {error}" if isinstance(error, KeyError) else str(error)))


def demand(is_so, what):
    if not is_so:
        sys.exit("NOT PROVED: " + what)
    print("ok: " + what)


def sha256(data):
    return hashlib.sha256(data).digest()


def is_signed(text, signature, key_file):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("text", "signature")]
        for file, data in zip(files, (text, signature)):
            with open(file, "wb") as out:
                out.write(data)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key_file, "-rawin"]
        command += ["-in", files[0], "-sigfile", files[1]]
        return subprocess.run(command, capture_output=True).returncode == 0


def root_of(leaf, index, size, siblings):
    """RFC 9162, 2.1.3.2: the root of the tree that the leaf and its siblings lead to; None: they lead nowhere."""
    last = size - 1
    if index > last:
        return None
    for sibling in siblings:
        if last == 0:
            return None
        if index & 1 or index == last:
            leaf = sha256(b"\x01" + sibling + leaf)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            leaf = sha256(b"\x01" + leaf + sibling)
        index, last = index >> 1, last >> 1
    return leaf if last == 0 else None


def prove(proof, document, snapshot, path, key_file):
    """Offline from here on. The public key comes from the operator, by another way than the API."""
    command = ["openssl", "pkey", "-pubin", "-in", key_file, "-outform", "DER"]
    key = subprocess.run(command, capture_output=True)
    if key.returncode != 0:
        sys.exit(f"{key_file} is not a public key in PEM")
    der = key.stdout
    text = proof["manifest"].encode()
    manifest = json.loads(text)
    demand(sha256(der).hex() == proof["publicKeyFingerprint"] == manifest["signedBy"], "signed with this public key")
    demand(is_signed(text, base64.b64decode(proof["signature"]), key_file), "the signature is over the manifest")
    demand(manifest["snapshotId"] == snapshot, "the manifest is of the snapshot " + snapshot)
    listed = {entry["path"]: entry["sha256"] for entry in manifest["documents"]}
    demand(listed.get(path + ".json") == sha256(document).hex(), "the manifest lists these bytes as " + path)
    if proof["inclusionProof"] is None:
        return print("The transparency log does not have the snapshot yet: ask again tomorrow.")

    lines, _, checkpoint = proof["inclusionProof"].partition("\n\n")
    _, extra, index, *siblings = lines.split("\n")
    entry = base64.b64decode(extra.removeprefix("extra "))
    logged = json.loads(entry)
    demand(logged["manifestSha256"] == sha256(text).hex(), "the entry of the log names the manifest")
    body, _, signatures = checkpoint.partition("\n\n")
    origin, size, root = body.split("\n")[:3]
    found = root_of(
        sha256(b"\x00" + entry), int(index.removeprefix("index ")), int(size), [base64.b64decode(s) for s in siblings]
    )
    demand(found == base64.b64decode(root), f"the entry is one of the {size} of the log {origin}")
    key_id = sha256(origin.encode() + b"\n\x01" + der[-32:])[:4]
    lines = [line.split(" ") for line in signatures.splitlines()]
    own = [base64.b64decode(line[2]) for line in lines if line[:2] == ["\u2014", origin]]
    own = [s[4:] for s in own if s[:4] == key_id]
    signed = own and all(is_signed((body + "\n").encode(), s, key_file) for s in own)
    demand(signed, "the head of the log is signed with this public key")
    print(f"Published {manifest['publishedAt']}, as of {manifest['asOf']}.")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    _, snapshot, path, key_file = sys.argv
    base = "/api/v1/snapshots/" + snapshot
    fetched = json.loads(get(base + "/proof"))["data"], get(base + "/" + path)
    prove(*fetched, snapshot, path, key_file)
