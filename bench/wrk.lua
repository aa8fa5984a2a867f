-- wrk's arguments after `--` name a file with a key on each line: requests carry them in turn.
function init(args)
  local requests = {}
  for key in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", nil, { Authorization = "Bearer " .. key })
  end
  local at = 0
  function request()
    at = at % #requests + 1
    return requests[at]
  end
end
