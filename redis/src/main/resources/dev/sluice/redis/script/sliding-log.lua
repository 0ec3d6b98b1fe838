-- Twin of SlidingLog.java: the instants of all permits in the window, in order, in a ring of 8-byte slots.
--
--   [ L | head | size | length | last | oldest | newest ][ slot | slot | slot | ... ]
--                                                            ^ head, then on around the ring
--
-- state    L, then six doubles, then the slots. Up to 128 slots, head is 0, all slots are in use, and a call reads and writes
--          the whole. With more, a call reads the doubles and a few slots, and writes one slot for each permit; the whole
--          ring is written only when it grows, by doubling, up to one slot for each permit of the limit. Slots that are
--          missing at its end count as long ago
-- numbers  period; capacity = the most slots that are ever needed

--@numbers period_ capacity_

--@helpers
local SMALL, EMPTY = 128, '\0\0\0\0\0\0\0\0'

-- Entries of the ring, from index on, as they lie in it; raw is what was read of the state.
local function entriesOf(raw, key, head, length, index, count)
  if count == 0 then return '' end
  local packed
  if length <= SMALL then
    packed = string.sub(raw, 50 + index * 8, 49 + (index + count) * 8)
  else
    local at = head + index
    if at >= length then at = at - length end
    local straight = min(count, length - at)
    packed = call('GETRANGE', key, 49 + at * 8, 49 + (at + straight) * 8 - 1)
    if straight < count then packed = packed .. call('GETRANGE', key, 49, 49 + (count - straight) * 8 - 1) end
  end
  if #packed < count * 8 then packed = packed .. rep('\0', count * 8 - #packed) end
  return packed
end

-- How many of the first size entries are at or before upTo, usually a few, and the first one that is not if it was read.
local function countUpTo(raw, key, head, length, size, upTo)
  local some = min(16, size)
  local packed = entriesOf(raw, key, head, length, 0, some)
  for i = 0, some - 1 do
    local entry = unpack('<d', packed, i * 8 + 1)
    if entry > upTo then return i, entry end
  end
  local low, high = some, size
  while low < high do
    local middle = math.floor((low + high) / 2)
    if unpack('<d', entriesOf(raw, key, head, length, middle, 1)) <= upTo then low = middle + 1 else high = middle end
  end
  return low
end

-- rep copies character by character, so a long text is made of two halves.
local function repeated(slot, count)
  if count < 64 then return rep(slot, count) end
  local half = repeated(slot, math.floor(count / 2))
  if fmod(count, 2) == 1 then return half .. half .. slot end
  return half .. half
end

--@read
local head_, size_, length_, last_, oldest_, newest_, gone_, added_ = 0, 0, 0, ANCIENT, ANCIENT, ANCIENT, 0, 0
local raw_ = try('GETRANGE', key_, 0, 48 + SMALL * 8)
if raw_ == '' then
  raw_ = nil
else
  local tag, head, size, length, last, oldest, newest
  if #raw_ >= 49 then tag, head, size, length, last, oldest, newest = unpack('<Bdddddd', raw_) end
  if tag == 76 and size >= 0 and size <= length and head >= 0 and head < max(1, length) and length < 2 ^ 24
    and fmod(head, 1) == 0 and fmod(size, 1) == 0 and fmod(length, 1) == 0
    and (size == 0 or (oldest <= newest and newest <= last)) then
    head_, size_, length_, last_, oldest_, newest_ = head, size, length, last, oldest, newest
    if not (last <= now) or not (newest <= now) then
      --@suspect
    end
    local upTo = max(now, last_) - period_
    if size_ > 0 and oldest_ <= upTo then
      local first
      gone_, first = countUpTo(raw_, key_, head_, length_, size_, upTo)
      oldest_ = first or NEVER
    end
    if last_ > latest then latest = last_ end
  else
    --@broken
  end
end
local live_ = size_ - gone_

--@search
-- How many of the entries of a state are at or before an instant.
local function countOf(raw, head, size, length, instant)
  local low, high = 0, size
  while low < high do
    local middle = math.floor((low + high) / 2)
    local at = 50 + math.floor(fmod(head + middle, length)) * 8
    if at + 7 > #raw or unpack('<d', raw, at) <= instant then low = middle + 1 else high = middle end
  end
  return low
end

--@inUse
local tag, head, size, length, last
if #raw >= 49 then tag, head, size, length, last = unpack('<Bdddd', raw) end
if tag == 76 and head >= 0 and head < max(1, length) and size >= 0 and size <= length and length < 2 ^ 24 then
  return size - countOf(raw, head, size, length, now - period_), last
end

--@follows
local _, _, _, _, _, _, newest = unpack('<Bdddddd', own)
local _, head, size, length = unpack('<Bddd', raw)
do return countOf(raw, head, size, length, newest) > countOf(raw, head, size, length, newest - 1) end

--@claim
local size, last = unpack('<d', raw_, 10), unpack('<d', raw_, 26) -- few names: Lua has a bound on them
claim = unpack('<d', raw_, 42) + period_
if size == 0 or last > claim then claim = last end

--@ask
admitted = admitted and live_ + cost <= room_

--@charge
live_ = live_ + cost
last_, added_ = latest, added_ + cost

--@write
if added_ > 0 and (live_ > length_ or length_ <= SMALL) then -- all of it, and room for more if it is not small
  local kept = live_ - added_
  local packed = entriesOf(raw_, key_, head_, length_, gone_, kept)
  oldest_ = last_
  if kept > 0 then oldest_ = unpack('<d', packed) end
  if live_ > SMALL then length_ = max(live_, min(capacity_, 2 * length_), SMALL + 1) else length_ = live_ end
  head_, size_, newest_ = 0, live_, last_
  local state_ = pack('<Bdddddd', 76, 0, size_, length_, last_, oldest_, newest_)
    .. packed .. repeated(pack('<d', last_), added_) .. repeated(EMPTY, length_ - live_)
  --@save
elseif added_ > 0 then
  local kept = live_ - added_
  if gone_ > 0 then
    if kept > 0 and oldest_ == NEVER then oldest_ = unpack('<d', entriesOf(raw_, key_, head_, length_, gone_, 1)) end
    head_ = head_ + gone_
    if head_ >= length_ then head_ = head_ - length_ end
  end
  local at = head_ + kept
  if at >= length_ then at = at - length_ end
  local straight = min(added_, length_ - at)
  local instant = pack('<d', last_)
  call('SETRANGE', key_, 49 + at * 8, repeated(instant, straight))
  if straight < added_ then call('SETRANGE', key_, 49, repeated(instant, added_ - straight)) end
  if kept == 0 then oldest_ = last_ end
  size_, newest_ = live_, last_
  call('SETRANGE', key_, 0, pack('<Bdddddd', 76, head_, size_, length_, last_, oldest_, newest_))
  --@extend
else
  --@extend
end

--@used
used_ = live_

--@spans
local packed = entriesOf(raw_, key_, head_, length_, gone_, live_)
local time, length, from = max(now, last_), multiple(period_, most - 1) + 1, 0
while from < live_ do
  local number = multiple(unpack('<d', packed, from * 8 + 1), length)
  local to, high = from + 1, live_
  if #spans == most - 1 then to = live_ end -- the last one, also if the entries are not in order
  while to < high do
    local middle = math.floor((to + high) / 2)
    if unpack('<d', packed, middle * 8 + 1) < (number + 1) * length then to = middle + 1 else high = middle end
  end
  spans[#spans + 1] =
    pack('<ddd', min(period_, time - number * length), max(0, time - (number + 1) * length), to - from)
  from = to
end

--@fresh
if added_ > 0 then
  freshAt_ = last_ + period_
elseif size_ > 0 then
  freshAt_ = newest_ + period_
end

--@ready
local index = live_ + cost - room_ - 1 -- when this live entry leaves, the cost is admitted
local longest = newest_ + period_
if added_ > 0 then longest = last_ + period_ end
readyAt_ = longest
if index < live_ - added_ - 1 then
  readyAt_ = unpack('<d', entriesOf(raw_, key_, head_, length_, gone_ + index, 1)) + period_
  if not (readyAt_ <= longest) then readyAt_ = longest end
elseif index == live_ - added_ - 1 then
  readyAt_ = newest_ + period_
end

--@refund
if takenAt > max(now, last_) - period_ and size_ > 0 then
  local first = countUpTo(raw_, key_, head_, length_, size_, takenAt - 1)
  local removed = min(unused, countUpTo(raw_, key_, head_, length_, size_, takenAt) - first)
  if removed > 0 then
    local kept = entriesOf(raw_, key_, head_, length_, 0, first)
      .. entriesOf(raw_, key_, head_, length_, first + removed, size_ - first - removed)
    head_, size_, changed_ = 0, #kept / 8, true
    oldest_, newest_ = ANCIENT, ANCIENT
    if size_ > 0 then oldest_, newest_ = unpack('<d', kept), unpack('<d', kept, #kept - 7) end
    if not (newest_ <= last_) then newest_ = last_ end -- an entry that no script has written
    if length_ <= SMALL then length_ = size_ end
    call('SET', key_, pack('<Bdddddd', 76, 0, size_, length_, last_, oldest_, newest_)
      .. kept .. repeated(EMPTY, length_ - size_))
  end
end
