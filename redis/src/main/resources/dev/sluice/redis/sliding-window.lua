-- Twin of SlidingWindow.java: permits by slice, the newest slice and the N before it.
--
-- state    W, then slice length, number of the newest slice, the instant last charged for, then N + 1 counts, oldest first
-- numbers  slice = length of a slice, slices = N, weighted = 1 if the oldest slice counts by its overlap

--@numbers slice_ slices_ weighted_

--@helpers
local function sliceAt(time, newest, slice)
  if time < (newest + 1) * slice then return newest end
  return floorDiv(time, slice)
end

local function inSlices(ring, newest, time, slice, weighted)
  local length, used = #ring, 0
  local current = sliceAt(time, newest, slice)
  local gone = max(0, min(current - newest, length))
  for i = gone + 1, length do used = used + ring[i] end
  if weighted == 1 and gone < length then
    local partial = ring[gone + 1]
    local overlap = (current + 1) * slice - time
    used = used - (partial - ceilDiv(partial * overlap, slice))
  end
  return used
end

-- The first instant at which no more than most are in the slices.
local function fallsTo(most, ring, newest, slice, weighted)
  local count = 0
  for i = 1, #ring do count = count + ring[i] end
  for i = 1, #ring do
    local falling, fallsOffAt = ring[i], (newest + i) * slice
    if count - falling <= most and fallsOffAt > now then
      if weighted == 0 then return fallsOffAt end
      local spared = most - (count - falling)
      if spared >= falling then return fallsOffAt - slice end
      return fallsOffAt - floorDiv(spared * slice, falling)
    end
    count = count - falling
  end
  return now
end

-- The counts of a ring of other slices: each counts as taken at its last instant.
local function recut(old, newestThen, sliceThen, newest, latest, slice, length)
  local ring = {}
  for i = 1, length do ring[i] = 0 end
  for i = 1, #old do
    local lastInstant = min((newestThen - #old + i + 1) * sliceThen - 1, latest)
    local at = length - (newest - floorDiv(lastInstant, slice))
    if at >= 1 then ring[at] = ring[at] + old[i] end
  end
  return ring
end

--@look
local newest_, last_, ring_ = floorDiv(now, slice_), ANCIENT, {}
local raw_ = call('GET', key_)
if raw_ and string.byte(raw_) == 87 then
  local sliceThen, newestThen
  sliceThen, newestThen, last_ = struct.unpack('>ddd', raw_, 2)
  ring_ = { struct.unpack('>' .. string.rep('d', (#raw_ - 25) / 8), raw_, 26) }
  ring_[#ring_] = nil -- where unpack stopped
  if sliceThen == slice_ and #ring_ == slices_ + 1 then
    newest_ = newestThen
  else -- the limit was changed
    newest_ = floorDiv(max(now, last_), slice_)
    ring_ = recut(ring_, newestThen, sliceThen, newest_, max(now, last_), slice_, slices_ + 1)
  end
else
  for i = 1, slices_ + 1 do ring_[i] = 0 end
end
if last_ > latest then latest = last_ end
local time_ = max(now, last_)
local sum_ = inSlices(ring_, newest_, time_, slice_, weighted_)
admitted = admitted and sum_ + need_ <= capacity_

--@charge
local current_ = sliceAt(latest, newest_, slice_)
if current_ > newest_ then
  local gone = min(current_ - newest_, slices_ + 1)
  for i = 1, slices_ + 1 do ring_[i] = ring_[i + gone] or 0 end
  newest_ = current_
end
ring_[slices_ + 1] = ring_[slices_ + 1] + cost
last_, time_ = latest, latest
sum_ = inSlices(ring_, newest_, time_, slice_, weighted_)

--@write
keep(key_, struct.pack('>B' .. string.rep('d', slices_ + 4), 87, slice_, newest_, last_, unpack(ring_)), freshAt_)

--@used
used_ = sum_

--@fresh
for i = slices_ + 1, 1, -1 do
  if ring_[i] ~= 0 then
    freshAt_ = (newest_ + i) * slice_
    break
  end
end

--@ready
readyAt_ = fallsTo(capacity_ - need_, ring_, newest_, slice_, weighted_)

--@giveBack
local from_ = floorDiv(takenAt, slice_)
if from_ >= sliceAt(time_, newest_, slice_) - slices_ then
  local left = cost
  for current = from_, newest_ do
    local at = current - (newest_ - slices_) + 1
    local given = min(left, ring_[at])
    ring_[at] = ring_[at] - given
    left = left - given
  end
end
