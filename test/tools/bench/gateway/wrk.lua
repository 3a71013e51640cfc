-- Sends the key of the command line; the result is printed as one line of JSON.
function init(arguments)
  wrk.headers['x-api-key'] = arguments[1]
end

function done(summary, latency)
  local errors = summary.errors
  io.stdout:write(string.format(
    'JSON {"rate":%.3f,"p50":%.3f,"p99":%.3f,"p999":%.3f,"wrong":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency:percentile(99.9) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
