#!/usr/bin/env python3
"""Verifies a Sightline store, without any code of Sightline: Python's standard library and openssl 3.

    verify.py STORE LOG_ORIGIN PUBLIC_KEY.pem [KEPT_CHECKPOINT]...

STORE is a folder, or a copy of a bucket. Checked: the key signed the log's checkpoint; its entries lead to the signed
root, and the first of them to the root of each kept checkpoint; each entry follows from those before it; each published
snapshot has its manifest, list of inputs and documents with the recorded hashes, unless it was withdrawn. Tiles with
hashes are not read: they say nothing that the entries do not. Exit status 1 with the first thing that is wrong."""
import base64, hashlib, json, pathlib, subprocess, sys, tempfile

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def require(is_so, what):
    if not is_so:
        sys.exit(f"NOT INTACT: {what}")

def read(path, digest=None):
    require(path.is_file(), f"{path} is missing")
    data = path.read_bytes()
    require(digest in (None, sha256(data).hex()), f"{path} was altered")
    return data

def is_signed(public_key, data, signature):
    with tempfile.NamedTemporaryFile() as message, tempfile.NamedTemporaryFile() as proof:
        for file, content in [(message, data), (proof, signature)]:
            file.write(content)
            file.flush()
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public_key, "-rawin", "-in", message.name]
        return subprocess.run([*command, "-sigfile", proof.name], capture_output=True).returncode == 0

def read_checkpoint(path, origin):
    """A signed note (c2sp.org/tlog-checkpoint). Returns size, root, the signed text and its lines of signatures."""
    text, _, signatures = read(path).decode().rpartition("\n\n")
    name, size, root = text.split("\n")[:3]
    require(name == origin, f"{path} is of the log {name}")
    return int(size), base64.b64decode(root), f"{text}\n".encode(), signatures.splitlines()

def require_signature(path, origin, public_key, text, lines):
    """All lines that have name and id of the key must be signatures over the text, and there must be one."""
    command = ["openssl", "pkey", "-pubin", "-in", public_key, "-outform", "DER"]
    key = subprocess.run(command, capture_output=True, check=True).stdout[-32:]  # the last field of the DER form
    key_id = sha256(origin.encode(), b"\n\x01", key)[:4]
    named = [base64.b64decode(line.split()[2]) for line in lines if line.split()[:2] == ["\u2014", origin]]
    own = [signature[4:] for signature in named if signature[:4] == key_id]
    require(own and all(is_signed(public_key, text, each) for each in own), f"{path} is not signed with this key")

def read_entries(store, size):
    """Bundles (c2sp.org/tlog-tiles) of 256 entries, each after its length in two bytes. A full one replaces a partial one."""
    for number in range((size + 255) // 256):
        *first, last = [group.zfill(3) for group in f"{number:,}".split(",")]
        full = store.joinpath("log/tile/entries", *[f"x{group}" for group in first], last)
        width = min(256, size - 256 * number)
        partial = full.with_name(f"{last}.p") / str(width)
        bundle = read(partial if partial.is_file() else full)
        for _ in range(width):
            end = 2 + int.from_bytes(bundle[:2], "big")
            yield bundle[2:end]
            bundle = bundle[end:]

def root_of(leaves):
    """RFC 6962, section 2.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256()
    middle = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01", root_of(leaves[:middle]), root_of(leaves[middle:]))

def hash_of(value):
    """Of the object with this content: JSON without white space, and a newline."""
    return sha256(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), b"\n").hex()

reason_of = lambda publication: (publication["withdrawn"] or {}).get("reason")
FIELDS = "sequence snapshotId manifestSha256 at methodologyVersion brands documents bytes".split()
REASONS = [None, "mistaken", "pruned", "lost", "removed"]  # of a withdrawal; each allows more to be gone

def fold(entries):
    """Each entry must follow from those before it. Returns the publications of each workspace, and its newest history."""
    workspaces, heads, before = {}, {}, ""
    for index, entry in enumerate(entries):
        if index == 0 and entry["kind"] == "continues":
            continue
        require(entry["at"] >= before, f"entry {index} is older than the one before it")
        before = entry["at"]
        if entry["kind"] == "heads":
            found = hash_of({"format": 1, "histories": dict(sorted(heads.items()))})
            require(found == entry["heads"], f"entry {index} names heads that do not follow")
            continue
        workspace, snapshot = entry["workspaceId"], entry["snapshotId"]
        history = workspaces.setdefault(workspace, {})
        if entry["kind"] == "published":
            is_next = snapshot not in history and entry["sequence"] == len(history) + 1
            require(is_next, f"entry {index} is not the next publication of its workspace")
            known = {"publishedAt" if name == "at" else name: entry[name] for name in FIELDS}
            history[snapshot] = known | {"withdrawn": None}
        else:
            more, less = (REASONS.index(each) for each in [entry["reason"], reason_of(history[snapshot])])
            require(more > less, f"entry {index} withdraws {snapshot} again")
            history[snapshot]["withdrawn"] = {"at": before, "reason": entry["reason"]}
        heads[workspace] = hash_of({"format": 1, "workspaceId": workspace, "publications": list(history.values())})
        require(heads[workspace] == entry["history"], f"entry {index} names a history that does not follow")
    return workspaces, heads

def verify_snapshot(store, workspace, publication):
    """Returns the number of documents. Of a pruned snapshot the manifest must be there, of a lost one nothing."""
    snapshot, digest, reason = publication["snapshotId"], publication["manifestSha256"], reason_of(publication)
    base = store / "workspaces" / workspace / "snapshots" / snapshot
    if reason in ("lost", "removed"):
        return 0
    manifest = json.loads(read(base / f"{digest[:16]}.manifest.json", digest))
    require((manifest["workspaceId"], manifest["snapshotId"]) == (workspace, snapshot), f"{base} has another's manifest")
    if reason == "pruned":
        return 0
    read(store / "inputs" / f"{manifest['inputs']}.json", manifest["inputs"])
    return len([read(base / document["path"], document["sha256"]) for document in manifest["documents"]])

def main(store, origin, public_key, *kept):
    path = store / "log/checkpoint"
    size, root, text, signatures = read_checkpoint(path, origin)
    require_signature(path, origin, public_key, text, signatures)
    entries = list(read_entries(store, size))
    leaves = [sha256(b"\0", entry) for entry in entries]
    for file in [path, *map(pathlib.Path, kept)]:
        first, expected, _, _ = read_checkpoint(file, origin)
        require(first <= size and root_of(leaves[:first]) == expected, f"the entries do not lead to {file}")
    entries = list(map(json.loads, entries))
    workspaces, heads = fold(entries)
    read(store / "heads" / f"{entries[-1]['heads']}.json", entries[-1]["heads"])
    for workspace, digest in heads.items():
        read(store / "workspaces" / workspace / "histories" / f"{digest}.json", digest)
    snapshots = [(workspace, each) for workspace, history in workspaces.items() for each in history.values()]
    found = sum(verify_snapshot(store, *each) for each in snapshots)
    print(f"{size} entries, root {base64.b64encode(root).decode()}\n{len(snapshots)} snapshots of {len(heads)} workspaces, {found} documents\nIntact.")

if len(sys.argv) < 4:
    sys.exit(__doc__)
try:
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
except (ValueError, LookupError, TypeError, OSError, subprocess.CalledProcessError) as error:
    sys.exit(f"NOT INTACT: something cannot be read: {error!r}")
