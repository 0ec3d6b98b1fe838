-- Twin of SlidingLog.java: the instants of all permits in the window, in order, in a ring of 8-byte slots.
--
--   [ L | head | size | length | last | oldest | newest ][ slot | slot | slot | ... ]
--                                                            ^ head, and so on round the ring
--
-- state    L, then six doubles, then the slots. A call reads the first and at most a few slots, and writes one slot for each
--          permit: never the whole ring, except when it grows, by doubling, up to one slot for each permit of the limit.
-- numbers  period

--@numbers period_

--@helpers
local HEADER, CHUNK = 49, 16

local function slotOf(log, index)
  local at = log.head + index
  if at >= log.length then at = at - log.length end
  return HEADER + at * 8
end

local function entry(log, index)
  if index == 0 then return log.oldest end
  if index == log.size - 1 then return log.newest end
  local at = slotOf(log, index)
  return (struct.unpack('>d', call('GETRANGE', log.key, at, at + 7)))
end

-- The entries from index on, as they lie in the ring.
local function entries(log, index, count)
  if count == 0 then return '' end
  local from = slotOf(log, index)
  local straight = min(count, (HEADER + log.length * 8 - from) / 8)
  local packed = call('GETRANGE', log.key, from, from + straight * 8 - 1)
  if straight < count then
    packed = packed .. call('GETRANGE', log.key, HEADER, HEADER + (count - straight) * 8 - 1)
  end
  return packed
end

-- How many of the oldest entries are at or before an instant. Mostly none or a few, so those are looked at first.
local function countUpTo(log, instant)
  if log.size == 0 or log.oldest > instant then return 0 end
  local some = min(CHUNK, log.size)
  local packed = entries(log, 0, some)
  for i = 1, some do
    if struct.unpack('>d', packed, i * 8 - 7) > instant then return i - 1 end
  end
  local low, high = some, log.size
  while low < high do
    local middle = math.floor((low + high) / 2)
    if entry(log, middle) <= instant then low = middle + 1 else high = middle end
  end
  return low
end

-- Puts count entries into a ring of another length, with room for more.
local function moveTo(log, length, packed, count)
  log.head, log.size, log.length, log.gone = 0, count, length, 0
  call('SET', log.key, string.rep('\0', HEADER) .. packed .. string.rep('\0', (length - count) * 8))
end

-- Takes entries out, the first of them at index from.
local function remove(log, from, count)
  local removed = min(count, log.size - from)
  if removed == 0 then return end
  local kept = entries(log, log.gone, from - log.gone) .. entries(log, from + removed, log.size - from - removed)
  moveTo(log, log.length, kept, #kept / 8)
  if kept ~= '' then
    log.oldest, log.newest = struct.unpack('>d', kept), struct.unpack('>d', kept, #kept - 7)
  end
end

-- Puts what was charged into its slots.
local function append(log, capacity)
  local live, added = log.size - log.gone, log.added
  if live + added > log.length then
    local packed = entries(log, log.gone, live)
    if live > 0 then log.oldest = struct.unpack('>d', packed) end
    moveTo(log, max(live + added, min(capacity, max(8, 2 * log.length))), packed, live)
  else
    if log.gone > 0 and live > 0 then log.oldest = entry(log, log.gone) end
    log.head = log.head + log.gone
    if log.head >= log.length then log.head = log.head - log.length end
    log.size = live
  end
  local instant = struct.pack('>d', log.last)
  local from = slotOf(log, live)
  local straight = min(added, (HEADER + log.length * 8 - from) / 8)
  call('SETRANGE', log.key, from, string.rep(instant, straight))
  if straight < added then
    call('SETRANGE', log.key, HEADER, string.rep(instant, added - straight))
  end
  if live == 0 then log.oldest = log.last end
  log.size, log.newest = live + added, log.last
end

--@look
local log_ = { key = key_, head = 0, size = 0, length = 0, last = ANCIENT, oldest = ANCIENT, newest = ANCIENT, gone = 0 }
local raw_ = call('GETRANGE', key_, 0, HEADER - 1)
if string.byte(raw_) == 76 then
  log_.head, log_.size, log_.length, log_.last, log_.oldest, log_.newest = struct.unpack('>dddddd', raw_, 2)
  log_.gone = countUpTo(log_, max(now, log_.last) - period_)
  if log_.last > latest then latest = log_.last end
end
local live_ = log_.size - log_.gone
admitted = admitted and live_ + need_ <= capacity_

--@charge
live_ = live_ + cost
log_.last, log_.added = latest, cost

--@write
if log_.added then append(log_, capacity_) end
if log_.length > 0 then
  call('SETRANGE', key_, 0,
    struct.pack('>Bdddddd', 76, log_.head, log_.size, log_.length, log_.last, log_.oldest, log_.newest))
  keepOn(key_, freshAt_)
end

--@used
used_ = live_

--@fresh
if log_.added then
  freshAt_ = log_.last + period_
elseif log_.size > 0 then
  freshAt_ = log_.newest + period_
end

--@ready
readyAt_ = entry(log_, log_.size + need_ - capacity_ - 1) + period_

--@giveBack
if takenAt > max(now, log_.last) - period_ then
  remove(log_, countUpTo(log_, takenAt - 1), cost)
end
