"""A client of the Sightline API, with the standard library: SIGHTLINE_URL=… SIGHTLINE_API_KEY=… python3 client.py"""
import hashlib, http.client, json, os, pathlib, random, sys, time, urllib.error, urllib.request

class SightlineError(Exception):
    """`code`: the API's; "network": it did not respond; "unexpected": a proxy responded."""
    def __init__(self, code, message, status=None, request_id=None):
        super().__init__(f"{code}: {message}" + (f" (request {request_id})" if request_id else ""))
        self.code, self.status, self.request_id = code, status, request_id
class KeyRefused(SightlineError): """missing_key, invalid_key or plan_required: alert a person."""
class NotFound(SightlineError): """not_found: a stale id; read the list of brands again."""
class RateLimited(SightlineError): """rate_limited, at the last attempt too."""

def error_of(response):
    try:
        code, message = map(json.load(response)["error"].get, ("code", "message"))
    except Exception:  # a proxy's own page
        code, message = "unexpected", f"status {response.code}"
    kind = {401: KeyRefused, 402: KeyRefused, 404: NotFound, 429: RateLimited}.get(response.code, SightlineError)
    return kind(code, message, response.code, response.headers["X-Request-Id"])

class Client:
    def __init__(self, url, key, folder="sightline-responses", attempts=6):
        self.url, self.key, self.folder, self.attempts = url.rstrip("/") + "/api/v1", key, pathlib.Path(folder), attempts
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get(self, path):
        """The `data` of a response; from the folder where it has not changed. A document of a snapshot never does."""
        file = self.folder / hashlib.sha256((self.url + path + self.key).encode()).hexdigest()
        kept = json.loads(file.read_bytes()) if file.exists() else None
        if kept and path.startswith("/snapshots/") and path.count("/") > 2 and not path.endswith("/proof"):
            return kept["data"]
        request = urllib.request.Request(self.url + path, headers={"If-None-Match": kept["etag"]} if kept else {})
        request.add_unredirected_header("Authorization", "Bearer " + self.key)  # a redirect can lead to another host
        for attempt in range(self.attempts):
            wait = 2**attempt * random.uniform(0.25, 0.5)
            try:
                with urllib.request.urlopen(request, timeout=10) as response:
                    kept = {"etag": response.headers["ETag"], "data": json.load(response)["data"]}
            except urllib.error.HTTPError as response:
                if response.code == 304:
                    return kept["data"]
                error = error_of(response)
                wait = int(after) if (after := response.headers.get("Retry-After", "")).isdecimal() else wait
                if response.code < 500 and response.code != 429 or wait > 120:
                    raise error from None
            except (OSError, ValueError, LookupError, http.client.HTTPException) as reason:  # no response of the API
                error = SightlineError("network", reason)
            else:
                (unfinished := file.with_suffix(f".{os.getpid()}")).write_text(json.dumps(kept))
                unfinished.replace(file)
                return kept["data"]
            time.sleep(wait if attempt + 1 < self.attempts else 0)
        raise error

    def table(self, name, snapshot=None):
        """The rows of a table, now or as of a snapshot, each as a dict."""
        data = self.get((f"/snapshots/{snapshot}" if snapshot else "") + f"/tables/{name}")
        return [dict(zip((column["name"] for column in data["columns"]), row)) for row in data["rows"]]

if __name__ == "__main__":
    settings = [os.environ.get(name) or sys.exit(f"set {name}") for name in ("SIGHTLINE_URL", "SIGHTLINE_API_KEY")]
    try:
        for brand in (api := Client(*settings)).get("/brands"):
            visibility = api.get(f"/brands/{brand['id']}/visibility")
            print(brand["name"], visibility["overallVisibility"], *[alert["slug"] for alert in visibility["alerts"]])
    except SightlineError as error:
        sys.exit(str(error))
