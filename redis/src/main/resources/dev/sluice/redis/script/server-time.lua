-- The server's clock, and the expiry of keys.
--
-- Time is the server's own, in microseconds, so the clients' clocks do not matter. A key expires when its state equals a
-- fresh one, rounded up to milliseconds, plus two: the clock by which Redis expires keys may be that far behind TIME.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

--@save
if freshAt_ <= now then
  call('DEL', key_)
elseif freshAt_ == NEVER then
  call('SET', key_, state_)
else
  call('PSETEX', key_, ceil((freshAt_ - now) / 1000) + 2, state_)
end

--@extend
if freshAt_ <= now then
  call('DEL', key_)
else
  call('PEXPIRE', key_, ceil((freshAt_ - now) / 1000) + 2)
end
