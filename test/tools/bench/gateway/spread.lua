-- Each line of a file is a key and a path; any of them may be next.
local asks = {}

function init(arguments)
  for line in io.lines(arguments[1]) do
    local key, path = line:match('^(%S+) (%S+)$')
    asks[#asks + 1] = wrk.format('GET', path, { ['x-api-key'] = key })
  end
  math.randomseed(os.time())
end

function request()
  return asks[math.random(#asks)]
end

function done(summary)
  local errors = summary.errors
  io.stdout:write(string.format(
    'JSON {"requests":%d,"wrong":%d}\n',
    summary.requests, errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
