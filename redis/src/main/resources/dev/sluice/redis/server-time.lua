-- Where time comes from, and how long a key is kept.
--
-- Time is the server's own, in microseconds: what the clients' clocks say does not matter. A key is kept until its state
-- cannot be told from a fresh one: rounded up to milliseconds, and two more, because the clock by which keys expire may
-- be that far behind the one that TIME reads.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local function keep(key, value, freshAt)
  if freshAt <= now then
    call('DEL', key)
  elseif freshAt == NEVER then
    call('SET', key, value)
  else
    call('PSETEX', key, math.ceil((freshAt - now) / 1000) + 2, value)
  end
end

local function keepOn(key, freshAt)
  if freshAt <= now then
    call('DEL', key)
  else
    call('PEXPIRE', key, math.ceil((freshAt - now) / 1000) + 2)
  end
end
