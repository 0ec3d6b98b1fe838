-- Twin of Concurrency.java, with one difference: what is held is leased, so that a holder that died frees its permits.
--
-- state    C, then for each lease three doubles: when it was taken, when it expires, its permits. Leases of as many permits taken
--          at the same instant need no names: whichever of them is released or renewed, the same number is left
-- numbers  lease = how long one lasts unless it is renewed, in microseconds; 0 for ever

--@numbers lease_

--@helpers
local function expiryFrom(time, lease)
  if lease == 0 then return NEVER end
  return time + lease
end

local function find(leases, takenAt, permits)
  for i, each in ipairs(leases) do
    if each.takenAt == takenAt and each.permits == permits then return i end
  end
end

-- The first instant at which no more than most are held, if nobody releases or renews any.
local function expiresTo(most, held, leases)
  table.sort(leases, function(one, other) return one.expiresAt < other.expiresAt end)
  for _, each in ipairs(leases) do
    held = held - each.permits
    if held <= most then return each.expiresAt end
  end
  return NEVER
end

--@look
local leases_, held_ = {}, 0
local raw_ = call('GET', key_)
if raw_ and string.byte(raw_) == 67 then
  for at = 2, #raw_, 24 do
    local takenAt, expiresAt, permits = struct.unpack('>ddd', raw_, at)
    if expiresAt > now then
      leases_[#leases_ + 1] = { takenAt = takenAt, expiresAt = expiresAt, permits = permits }
      held_ = held_ + permits
    end
  end
end
admitted = admitted and held_ + need_ <= capacity_

--@charge
leases_[#leases_ + 1] = { takenAt = latest, expiresAt = expiryFrom(latest, lease_), permits = cost }
held_ = held_ + cost

--@write
local packed_ = { 'C' }
for i, each in ipairs(leases_) do
  packed_[i + 1] = struct.pack('>ddd', each.takenAt, each.expiresAt, each.permits)
end
keep(key_, table.concat(packed_), freshAt_)

--@used
used_ = held_

--@fresh
for _, each in ipairs(leases_) do freshAt_ = max(freshAt_, each.expiresAt) end

--@ready
readyAt_ = expiresTo(capacity_ - need_, held_, leases_)

--@giveBack
local found_ = find(leases_, takenAt, cost)
if found_ then table.remove(leases_, found_) end

--@settle
if verb ~= 'giveBack' then
  local found_ = find(leases_, takenAt, cost)
  changed_ = found_ ~= nil
  if found_ and verb == 'release' then table.remove(leases_, found_) end
  if found_ and verb == 'renew' then leases_[found_].expiresAt = expiryFrom(now, lease_) end
end
