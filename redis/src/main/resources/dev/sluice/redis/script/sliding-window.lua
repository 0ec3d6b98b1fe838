-- Twin of SlidingWindow.java: permits by slice, for the newest slice and the N before it.
--
-- state    W, then slice length, number of the newest slice, instants of the last charge and of the first, which tells what
--          was charged before a reset, then N + 1 counts, oldest first: doubles
-- numbers  slice = length of a slice; slices = N; weighted = 1 if the oldest slice counts by its overlap

--@numbers slice_ slices_ weighted_

--@helpers
local function floorDiv(a, b)
  local rest = fmod(a, b)
  if rest < 0 then rest = rest + b end
  return (a - rest) / b
end

--@read
local newest_, last_, began_, ring_, stored_ = floorDiv(now, slice_), ANCIENT, NEVER, nil, ANCIENT
local raw_ = try('GET', key_)
if raw_ then
  local tag, sliceThen, newestThen, last, began
  if #raw_ > 33 and #raw_ < 30000 and fmod(#raw_, 8) == 1 then
    tag, sliceThen, newestThen, last, began = unpack('<Bdddd', raw_)
  end
  if tag == 87 and sliceThen > 0 and last < (newestThen + 1) * sliceThen and began <= last then
    last_, began_ = last, began
    ring_ = { unpack('<' .. rep('d', (#raw_ - 33) / 8), raw_, 34) }
    ring_[#ring_] = nil -- the position where unpack stopped
    for i = 1, #ring_ do
      if not (ring_[i] >= 0 and ring_[i] <= 2 ^ 53) then last = nil end
    end
    for i = #ring_, 1, -1 do
      if ring_[i] ~= 0 then
        stored_ = (newestThen + i) * sliceThen
        break
      end
    end
    if not last then
      --@broken
    elseif not (last <= now) or newestThen * sliceThen > now then
      --@suspect
    end
    if sliceThen == slice_ and #ring_ == slices_ + 1 then
      newest_ = newestThen
    else -- the limit was changed: each count as taken at the last instant of its slice
      newest_ = floorDiv(max(now, last_), slice_)
      if sliceThen ~= slice_ then began_ = last_ end -- what was charged before is not refunded
      local old = ring_
      ring_ = {}
      for i = 1, slices_ + 1 do ring_[i] = 0 end
      for i = 1, #old do
        local lastInstant = min((newestThen - #old + i + 1) * sliceThen - 1, max(now, last_))
        local at = slices_ + 1 - (newest_ - floorDiv(lastInstant, slice_))
        if at >= 1 and at <= slices_ + 1 then ring_[at] = ring_[at] + old[i] end
      end
    end
  else
    --@broken
  end
end
if not ring_ then
  ring_ = {}
  for i = 1, slices_ + 1 do ring_[i] = 0 end
end
if last_ > latest then latest = last_ end
local time_, sum_ = max(now, last_), 0
--@sum

--@inUse
if #raw > 33 and #raw < 30000 and fmod(#raw, 8) == 1 and byte(raw) == 87 then
  local _, slice, newest, last = unpack('<Bddd', raw)
  local length, oldest, used = (#raw - 33) / 8, floorDiv(now, slice_) - slices_, 0
  for i = 1, length do
    local lastInstant = (newest - length + i + 1) * slice - 1
    if floorDiv(lastInstant, slice_) >= oldest then used = used + unpack('<d', raw, 26 + i * 8) end
  end
  return used, last
end

--@follows
local _, _, _, last = unpack('<Bddd', own)
local _, _, _, _, began = unpack('<Bdddd', raw)
do return last <= began end

--@claim
local _, _, _, last = unpack('<Bddd', raw_)
claim = max(stored_, last)

--@ask
admitted = admitted and sum_ + cost <= room_

--@sum
do -- the permits in the slices that are in the window at time_
  local current, gone = newest_, 0
  if time_ >= (newest_ + 1) * slice_ then
    current = floorDiv(time_, slice_)
    gone = min(current - newest_, slices_ + 1)
  end
  sum_ = 0
  for i = gone + 1, slices_ + 1 do sum_ = sum_ + ring_[i] end
  if weighted_ == 1 and gone <= slices_ then
    local partial = ring_[gone + 1]
    local product = partial * ((current + 1) * slice_ - time_)
    local rest = fmod(product, slice_)
    local counted = (product - rest) / slice_
    if rest > 0 then counted = counted + 1 end
    sum_ = sum_ - (partial - counted)
  end
end

--@charge
if latest >= (newest_ + 1) * slice_ then
  local current = floorDiv(latest, slice_)
  local gone = min(current - newest_, slices_ + 1)
  for i = 1, slices_ + 1 do ring_[i] = ring_[i + gone] or 0 end
  newest_ = current
end
ring_[slices_ + 1] = ring_[slices_ + 1] + cost
if began_ == NEVER then began_ = latest end
if latest == time_ then
  last_, sum_ = latest, sum_ + cost
else
  last_, time_ = latest, latest
  --@sum
end

--@write
local state_ = pack('<B' .. rep('d', slices_ + 5), 87, slice_, newest_, last_, began_, spread(ring_))
if freshAt_ == stored_ then
  --@keep
else
  --@save
end

--@used
used_ = sum_

--@spans
local slice, next = max(newest_, floorDiv(time_, slice_)), 1
next = next + min(slice - newest_, slices_ + 1)
local together, oldest, uncounted = multiple(slices_, most - 1) + 1, newest_ - slices_ - 1, -sum_
for i = next, slices_ + 1 do uncounted = uncounted + ring_[i] end
while next <= slices_ + 1 do
  local number, permits = multiple(oldest + next, together), -uncounted
  uncounted = 0
  repeat
    permits, next = permits + ring_[next], next + 1
  until next > slices_ + 1 or oldest + next >= (number + 1) * together
  local from, to = max(number * together, slice - slices_) * slice_, (number + 1) * together * slice_
  if permits > 0 then spans[#spans + 1] = pack('<ddd', time_ - from, max(0, time_ - to), permits) end
end

--@fresh
for i = slices_ + 1, 1, -1 do
  if ring_[i] ~= 0 then
    freshAt_ = (newest_ + i) * slice_
    break
  end
end

--@ready
local most, count = room_ - cost, 0
for i = 1, slices_ + 1 do count = count + ring_[i] end
for i = 1, slices_ + 1 do
  local falling, fallsOffAt = ring_[i], (newest_ + i) * slice_
  if count - falling <= most and fallsOffAt > now then
    local spared = most - (count - falling)
    if weighted_ == 0 then
      readyAt_ = fallsOffAt
    elseif spared >= falling then
      readyAt_ = fallsOffAt - slice_
    else
      readyAt_ = fallsOffAt - floorDiv(spared * slice_, falling)
    end
    break
  end
  count = count - falling
end

--@refund
local current_ = newest_
if time_ >= (newest_ + 1) * slice_ then current_ = floorDiv(time_, slice_) end
local from_ = floorDiv(takenAt, slice_)
if takenAt >= began_ and from_ >= current_ - slices_ and from_ <= newest_ then
  local at = from_ - (newest_ - slices_) + 1
  if ring_[at] then ring_[at], changed_ = ring_[at] - min(unused, ring_[at]), true end
end
