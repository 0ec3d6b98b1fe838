-- Puts a hold on a concurrency limit under a lease, or ends it.
--
-- KEYS   the states of concurrency.lua of one key, all in one slot
-- ARGV   one string of little-endian doubles:
--        id       when the hold was taken, or the id that an earlier call gave it
--        permits  of the hold; 0 for any
--        next     the id that takes the place of the first; a hold that has it already is the same hold
--        lease    how long the hold lasts from now on, in microseconds; 0 ends it
--        then for each key the most permits that may be held
-- Reply  one little-endian double: 1 if there was such a hold; 2 if it was gone, and is there again, since its permits were
--        free; else 0
--
-- Atomic, because Redis runs no other command during a script. A call may be repeated.
--
-- state  C, then three little-endian doubles for each hold: when it was taken or its id, when its lease ends, its permits

local pack, unpack = struct.pack, struct.unpack
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local id, permits, next, lease, at = unpack('<dddd', ARGV[1])
local reply = 0

for _, key in ipairs(KEYS) do
  local room
  room, at = unpack('<d', ARGV[1], at)
  local raw = redis.pcall('GET', key)
  local packed, last, held, found = { 'C' }, now, 0, 0
  if type(raw) == 'string' and string.byte(raw) == 67 then -- else there is no state, or none that can be
    local wanted = id
    for from = 2, #raw - 23, 24 do
      if unpack('<d', raw, from) == next then wanted = next end -- and no other that was taken at the same instant
    end
    for from = 2, #raw - 23, 24 do
      local taken, expiresAt, own = unpack('<ddd', raw, from)
      if expiresAt > now then
        if found == 0 and taken == wanted and (wanted == next or own == permits or permits == 0) then
          found, taken, expiresAt = 1, next, now + lease
        end
        if expiresAt > now then
          packed[#packed + 1] = pack('<ddd', taken, expiresAt, own)
          last, held = math.max(last, expiresAt), held + own
        end
      end
    end
  end
  if found == 0 and lease > 0 and permits > 0 and held + permits <= room then
    found = 2
    packed[#packed + 1] = pack('<ddd', next, now + lease, permits)
    last = math.max(last, now + lease)
  end
  reply = math.max(reply, found)
  if found > 0 then
    if #packed > 1 then
      redis.call('SET', key, table.concat(packed), 'PX', math.ceil((last - now) / 1000) + 2)
    else
      redis.call('DEL', key)
    end
  end
end

return pack('<d', reply)
