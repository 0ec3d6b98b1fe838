-- Puts a hold on a concurrency limit under a lease, or ends it.
--
-- KEYS   the states of concurrency.lua of one key, all in one slot
-- ARGV   one string of little-endian doubles:
--        id       when the hold was taken, or the id that an earlier call gave it
--        permits  of the hold; 0 for any
--        next     the id that takes the place of the first
--        lease    how long the hold lasts from now on, in microseconds; 0 ends it
-- Reply  one little-endian double: 1 if there was such a hold, else 0
--
-- Atomic, because Redis runs no other command during a script.
--
-- state  C, then three little-endian doubles for each hold: when it was taken or its id, when its lease ends, its permits

local pack, unpack = struct.pack, struct.unpack
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local id, permits, next, lease = unpack('<dddd', ARGV[1])
local found = 0

for _, key in ipairs(KEYS) do
  local raw = redis.pcall('GET', key)
  local packed, last, own = { 'C' }, now, false
  if type(raw) == 'string' and string.byte(raw) == 67 then -- else there is no state, or none that can be
    for from = 2, #raw - 23, 24 do
      local taken, expiresAt, held = unpack('<ddd', raw, from)
      if expiresAt > now then
        if not own and taken == id and (held == permits or permits == 0) then
          own, taken, expiresAt = true, next, now + lease
        end
        if expiresAt > now then
          packed[#packed + 1] = pack('<ddd', taken, expiresAt, held)
          last = math.max(last, expiresAt)
        end
      end
    end
  end
  if own then
    found = 1
    if #packed > 1 then
      redis.call('SET', key, table.concat(packed), 'PX', math.ceil((last - now) / 1000) + 2)
    else
      redis.call('DEL', key)
    end
  end
end

return pack('<d', found)
