-- Renews the holds of one process on concurrency limits, and adds those again that are no longer there.
--
-- KEYS   the states of concurrency.lua, all on one master; on a cluster all in one slot
-- ARGV   one string of little-endian doubles:
--        lease    how long a hold lasts unless it is renewed, in microseconds
--        then for each key
--          room     the most permits that may be held
--          groups   the number of groups; a group is the holds of as many permits that were taken at the same instant
--          then for each group: when they were taken, the permits of each, the number of holds
-- Reply  one string of little-endian doubles: for each group how many holds were added again, and how many were not
--        because others hold the permits
--
-- Atomic, because Redis runs no other command during a script.
--
-- state  C, then three little-endian doubles for each hold: when it was taken, when its lease ends, its permits

local LONGEST_LEASE = 24 * 3600 * 1000000
local pack, unpack, sub = struct.pack, struct.unpack, string.sub
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local args = ARGV[1]
local lease, at = unpack('<d', args)
local reply = {}

for _, key in ipairs(KEYS) do
  local holds, byId, held = {}, {}, 0
  local raw = redis.pcall('GET', key)
  if type(raw) == 'string' and string.byte(raw) == 67 then -- else there is no state, or none that can be
    for from = 2, #raw - 23, 24 do
      local takenAt, expiresAt, permits = unpack('<ddd', raw, from)
      if expiresAt > now and permits >= 1 and permits <= 2 ^ 53 and math.fmod(permits, 1) == 0 then
        local hold = { takenAt, math.min(expiresAt, now + LONGEST_LEASE), permits }
        local id = sub(raw, from, from + 7) .. sub(raw, from + 16, from + 23)
        byId[id] = byId[id] or {}
        table.insert(byId[id], hold)
        table.insert(holds, hold)
        held = held + permits
      end
    end
  end

  local room, groups
  room, groups, at = unpack('<dd', args, at)
  for _ = 1, groups do
    local takenAt, permits, count = unpack('<ddd', args, at)
    local own = byId[sub(args, at, at + 15)] or {}
    local restored, lost = 0, 0
    at = at + 24
    for i = 1, count do
      local hold = own[i]
      if not hold and held + permits <= room then
        hold = { takenAt, now, permits }
        table.insert(holds, hold)
        held, restored = held + permits, restored + 1
      end
      if hold then
        hold[2] = now + lease
      else
        lost = lost + 1
      end
    end
    table.insert(reply, pack('<dd', restored, lost))
  end

  if #holds > 0 then
    local packed, last = { 'C' }, now
    for i, hold in ipairs(holds) do
      packed[i + 1] = pack('<ddd', hold[1], hold[2], hold[3])
      last = math.max(last, hold[2])
    end
    redis.call('SET', key, table.concat(packed), 'PX', math.ceil((last - now) / 1000) + 2)
  end
end

return table.concat(reply)
