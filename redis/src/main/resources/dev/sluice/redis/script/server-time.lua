-- Where time comes from, and how long a key is kept.
--
-- Time is the server's own, in microseconds: what the clients' clocks say does not matter. A key is kept until its state
-- cannot be told from a fresh one: rounded up to milliseconds, and two more, because the clock by which keys expire may
-- be that far behind the one that TIME reads.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

--@keep
if freshAt_ <= now then
  call('DEL', key_)
elseif freshAt_ == NEVER then
  call('SET', key_, state_)
else
  call('PSETEX', key_, ceil((freshAt_ - now) / 1000) + 2, state_)
end

--@keepOn
if freshAt_ <= now then
  call('DEL', key_)
else
  call('PEXPIRE', key_, ceil((freshAt_ - now) / 1000) + 2)
end
