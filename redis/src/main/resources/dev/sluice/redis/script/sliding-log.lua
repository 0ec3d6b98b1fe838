-- Twin of SlidingLog.java: the instants of all permits in the window, in order, in a ring of 8-byte slots.
--
--   [ L | head | size | length | last | oldest | newest ][ slot | slot | slot | ... ]
--                                                            ^ head, then on around the ring
--
-- state    L, then six doubles, then the slots. A call reads the doubles and a few slots, and writes one slot for each permit.
--          The whole ring is written only when it grows, by doubling, up to one slot for each permit of the limit
-- numbers  period; capacity = the most slots that are ever needed

--@numbers period_ capacity_

--@helpers
-- Entries of the ring, from index on, as they lie in it.
local function entriesOf(key, head, length, index, count)
  if count == 0 then return '' end
  local at = head + index
  if at >= length then at = at - length end
  local straight = min(count, length - at)
  local packed = call('GETRANGE', key, 49 + at * 8, 49 + (at + straight) * 8 - 1)
  if straight < count then packed = packed .. call('GETRANGE', key, 49, 49 + (count - straight) * 8 - 1) end
  return packed
end

--@read
local head_, size_, length_, last_, oldest_, newest_, gone_, added_ = 0, 0, 0, ANCIENT, ANCIENT, ANCIENT, 0, 0
local raw_ = call('GETRANGE', key_, 0, 48)
if #raw_ == 49 and string.byte(raw_) == 76 then
  head_, size_, length_, last_, oldest_, newest_ = unpack('>dddddd', raw_, 2)
  local upTo = max(now, last_) - period_
  if size_ > 0 and oldest_ <= upTo then
    local counted = 0
    --@count
    gone_ = counted
  end
  if last_ > latest then latest = last_ end
end
local live_ = size_ - gone_
admitted = admitted and live_ + cost <= room_

--@count
do -- how many of the oldest entries are at or before upTo: usually a few, so the first are read at once
  local some = min(16, size_)
  local packed = entriesOf(key_, head_, length_, 0, some)
  while counted < some and unpack('>d', packed, counted * 8 + 1) <= upTo do counted = counted + 1 end
  if counted == some then
    local low, high = some, size_
    while low < high do
      local middle = math.floor((low + high) / 2)
      if unpack('>d', entriesOf(key_, head_, length_, middle, 1)) <= upTo then low = middle + 1 else high = middle end
    end
    counted = low
  end
end

--@charge
live_ = live_ + cost
last_, added_ = latest, cost

--@write
if added_ > 0 then
  local kept = live_ - added_
  if live_ > length_ then -- a longer ring, with room for more
    local packed = entriesOf(key_, head_, length_, gone_, kept)
    if kept > 0 then oldest_ = unpack('>d', packed) end
    head_, length_ = 0, max(live_, min(capacity_, max(8, 2 * length_)))
    call('SET', key_, string.rep('\0', 49) .. packed .. string.rep('\0', (length_ - kept) * 8))
  elseif gone_ > 0 then
    if kept > 0 then oldest_ = unpack('>d', entriesOf(key_, head_, length_, gone_, 1)) end
    head_ = head_ + gone_
    if head_ >= length_ then head_ = head_ - length_ end
  end
  local at = head_ + kept
  if at >= length_ then at = at - length_ end
  local straight = min(added_, length_ - at)
  local instant = pack('>d', last_)
  call('SETRANGE', key_, 49 + at * 8, string.rep(instant, straight))
  if straight < added_ then call('SETRANGE', key_, 49, string.rep(instant, added_ - straight)) end
  if kept == 0 then oldest_ = last_ end
  size_, newest_ = live_, last_
end
if length_ > 0 then
  call('SETRANGE', key_, 0, pack('>Bdddddd', 76, head_, size_, length_, last_, oldest_, newest_))
  --@extend
end

--@used
used_ = live_

--@fresh
if added_ > 0 then
  freshAt_ = last_ + period_
elseif size_ > 0 then
  freshAt_ = newest_ + period_
end

--@ready
local index_ = size_ + cost - room_ - 1 -- when this entry leaves, the cost is admitted
if index_ == size_ - 1 then
  readyAt_ = newest_ + period_
else
  readyAt_ = unpack('>d', entriesOf(key_, head_, length_, index_, 1)) + period_
end

--@refund
if takenAt > max(now, last_) - period_ then
  local upTo, counted = takenAt - 1, 0
  if size_ > 0 and oldest_ <= upTo then
    --@count
  end
  local first = counted
  upTo, counted = takenAt, 0
  if size_ > 0 and oldest_ <= upTo then
    --@count
  end
  local removed = min(unused, counted - first)
  if removed > 0 then
    local kept = entriesOf(key_, head_, length_, 0, first)
      .. entriesOf(key_, head_, length_, first + removed, size_ - first - removed)
    head_, size_, changed_ = 0, #kept / 8, true
    call('SET', key_, string.rep('\0', 49) .. kept .. string.rep('\0', (length_ - size_) * 8))
    if size_ > 0 then oldest_, newest_ = unpack('>d', kept), unpack('>d', kept, #kept - 7) end
  end
end
