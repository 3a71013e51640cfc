-- Keys take turns; the result of wrk is printed as one line of JSON.
local keys, turn, path = {}, 0, nil

function init(arguments)
  for line in io.lines(arguments[1]) do keys[#keys + 1] = line end
  math.randomseed(os.time())
  turn = math.random(#keys)
end

function request()
  turn = turn % #keys + 1
  return wrk.format('GET', nil, { ['x-api-key'] = keys[turn] })
end

function done(summary, latency)
  local errors = summary.errors
  io.stdout:write(string.format(
    'JSON {"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"p999":%.3f,"wrong":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency:percentile(99.9) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
