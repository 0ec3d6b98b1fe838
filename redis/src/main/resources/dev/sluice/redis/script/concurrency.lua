-- Twin of Concurrency.java, with one difference: a hold has a lease, so that the permits of a dead holder become free.
--
-- state    C, then three little-endian doubles for each hold: when it was taken, when its lease ends, its permits. Holds
--          of as many permits taken at the same instant need no identity: whichever of them is released or renewed, the
--          result is the same
-- numbers  lease = how long a hold lasts unless it is renewed, in microseconds; 0 for ever

--@numbers lease_

--@helpers
local function find(holds, takenAt, permits)
  for i, each in ipairs(holds) do
    if each.takenAt == takenAt and each.permits == permits then return i end
  end
end

--@read
local holds_, held_, lasts_, stored_ = {}, 0, lease_, ANCIENT
if lease_ == 0 then lasts_ = NEVER end
local raw_ = try('GET', key_)
if raw_ then
  if #raw_ > 0 and fmod(#raw_, 24) == 1 and byte(raw_) == 67 then
    for at = 2, #raw_, 24 do
      local takenAt, expiresAt, permits = unpack('<ddd', raw_, at)
      if expiresAt > now and permits > 0 and permits <= 2 ^ 53 then
        holds_[#holds_ + 1] = { takenAt = takenAt, expiresAt = expiresAt, permits = permits }
        held_, stored_ = held_ + permits, max(stored_, expiresAt)
      end
    end
    if stored_ - now > lasts_ then
      --@suspect
    end
  else
    --@broken
  end
end

--@claim
claim = ANCIENT
if lease_ > 0 then claim = stored_ end

--@ask
admitted = admitted and held_ + cost <= room_

--@charge
holds_[#holds_ + 1] = { takenAt = latest, expiresAt = latest + lasts_, permits = cost }
held_ = held_ + cost

--@write
local packed_ = { 'C' }
for i, each in ipairs(holds_) do packed_[i + 1] = pack('<ddd', each.takenAt, each.expiresAt, each.permits) end
local state_ = table.concat(packed_)
--@save

--@used
used_ = held_

--@fresh
for _, each in ipairs(holds_) do freshAt_ = max(freshAt_, each.expiresAt) end

--@ready
readyAt_ = NEVER -- or when enough leases have ended, if none is renewed
table.sort(holds_, function(one, other) return one.expiresAt < other.expiresAt end)
local left = held_
for _, each in ipairs(holds_) do
  left = left - each.permits
  if left + cost <= room_ then
    readyAt_ = each.expiresAt
    break
  end
end

--@refund
if unused == cost then -- else the whole stays held until it is released
  local found = find(holds_, takenAt, cost)
  changed_ = found ~= nil
  if found then table.remove(holds_, found) end
end

--@settle
if verb == RELEASE then
  local found_ = find(holds_, takenAt, cost)
  changed_ = found_ ~= nil
  if found_ then table.remove(holds_, found_) end
end
