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
  call('SET', key_, state_, 'PX', format('%d', (freshAt_ - now + 2999) / 1000)) -- as a number it would take longer
end

--@keep
-- The state equals a fresh one when it did before.
call('SET', key_, state_, 'KEEPTTL')

--@copy
-- The copy ends when the other state does. One that never ends was not written by a script.
local millis = try('PTTL', from)
copied = type(millis) == 'number' and millis > 0
if copied then call('SET', key_, before, 'PX', millis) end

--@extend
if freshAt_ <= now then
  call('DEL', key_)
else
  call('PEXPIRE', key_, ceil((freshAt_ - now) / 1000) + 2)
end

--@verify
-- A state that claims to last longer than its key was not written by a script. A clock that was set moves both alike.
if not (claim - now <= 1000000) then
  local millis = try('PTTL', key_) -- an error if the user may not ask for it
  if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
    --@broken
  end
end
