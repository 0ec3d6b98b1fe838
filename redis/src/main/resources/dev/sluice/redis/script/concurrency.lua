-- Twin of Concurrency.java, with one difference: what is held is leased, so that a holder that died frees its permits.
--
-- state    C, then for each lease three doubles: when it was taken, when it expires, its permits. Leases of as many permits taken
--          at the same instant need no names: whichever of them is released or renewed, the same number is left
-- numbers  lease = how long one lasts unless it is renewed, in microseconds; 0 for ever

--@numbers lease_

--@helpers
local function find(leases, takenAt, permits)
  for i, each in ipairs(leases) do
    if each.takenAt == takenAt and each.permits == permits then return i end
  end
end

--@look
local leases_, held_, lasts_ = {}, 0, lease_
if lease_ == 0 then lasts_ = NEVER end
local raw_ = call('GET', key_)
if raw_ and string.byte(raw_) == 67 then
  for at = 2, #raw_, 24 do
    local takenAt, expiresAt, permits = unpack('>ddd', raw_, at)
    if expiresAt > now then
      leases_[#leases_ + 1] = { takenAt = takenAt, expiresAt = expiresAt, permits = permits }
      held_ = held_ + permits
    end
  end
end
admitted = admitted and held_ + cost <= room_

--@charge
leases_[#leases_ + 1] = { takenAt = latest, expiresAt = latest + lasts_, permits = cost }
held_ = held_ + cost

--@write
local packed_ = { 'C' }
for i, each in ipairs(leases_) do packed_[i + 1] = pack('>ddd', each.takenAt, each.expiresAt, each.permits) end
local state_ = table.concat(packed_)
--@keep

--@used
used_ = held_

--@fresh
for _, each in ipairs(leases_) do freshAt_ = max(freshAt_, each.expiresAt) end

--@ready
readyAt_ = NEVER -- or when enough have expired, if nobody releases or renews any
table.sort(leases_, function(one, other) return one.expiresAt < other.expiresAt end)
for _, each in ipairs(leases_) do
  held_ = held_ - each.permits
  if held_ + cost <= room_ then
    readyAt_ = each.expiresAt
    break
  end
end

--@giveBack
local found_ = find(leases_, takenAt, cost)
if found_ then table.remove(leases_, found_) end

--@settle
if verb ~= GIVE_BACK then
  local found_ = find(leases_, takenAt, cost)
  changed_ = found_ ~= nil
  if found_ and verb == RELEASE then table.remove(leases_, found_) end
  if found_ and verb == RENEW then leases_[found_].expiresAt = now + lasts_ end
end
