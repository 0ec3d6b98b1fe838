-- For wrk: asks for one of so many addresses at random. Argument: how many.
local many = 1

function init(arguments)
  many = tonumber(arguments[1])
end

function request()
  local n = math.random(0, many - 1)
  local ip = "10." .. math.floor(n / 65536) .. "." .. math.floor(n / 256) % 256 .. "." .. n % 256
  return "GET /v1/check?ip=" .. ip .. "&path=/api/5/orders HTTP/1.1\r\nHost: localhost\r\n\r\n"
end
