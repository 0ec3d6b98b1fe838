-- Twin of SlidingLog.java: the instants of all permits in the window, in order, in a ring of 8-byte slots.
--
--   [ head | size | length | last | oldest | newest ][ slot | slot | slot | ... ]
--                                                        ^ head, and so on round the ring
--
-- state    six doubles, then the slots. A call reads the first and at most a few slots, and writes one slot for each
--          permit: never the whole ring, except when it grows, by doubling, up to one slot for each permit of the limit.
-- numbers  period

local function slidingLog(key, capacity, period)
  local HEADER, CHUNK = 48, 16
  local head, size, length, last, oldest, newest = 0, 0, 0, ANCIENT, ANCIENT, ANCIENT
  local raw = redis.call('GETRANGE', key, 0, HEADER - 1)
  if raw ~= '' then
    head, size, length, last, oldest, newest = struct.unpack('>dddddd', raw)
  end

  local function slot(index)
    local at = head + index
    if at >= length then at = at - length end
    return HEADER + at * 8
  end

  local function entry(index)
    if index == 0 then return oldest end
    if index == size - 1 then return newest end
    local at = slot(index)
    return (struct.unpack('>d', redis.call('GETRANGE', key, at, at + 7)))
  end

  -- count entries from index on, as they lie in the ring
  local function entries(index, count)
    if count == 0 then return '' end
    local from = slot(index)
    local straight = math.min(count, (HEADER + length * 8 - from) / 8)
    local packed = redis.call('GETRANGE', key, from, from + straight * 8 - 1)
    if straight < count then
      packed = packed .. redis.call('GETRANGE', key, HEADER, HEADER + (count - straight) * 8 - 1)
    end
    return packed
  end

  -- How many of the oldest entries are at or before an instant. Mostly none or a few, so those are looked at first.
  local function countUpTo(instant)
    if size == 0 or oldest > instant then return 0 end
    local some = math.min(CHUNK, size)
    local packed = entries(0, some)
    for i = 1, some do
      if struct.unpack('>d', packed, i * 8 - 7) > instant then return i - 1 end
    end
    local low, high = some, size
    while low < high do
      local middle = math.floor((low + high) / 2)
      if entry(middle) <= instant then low = middle + 1 else high = middle end
    end
    return low
  end

  local gone = countUpTo(math.max(now, last) - period)

  -- Puts the entries that are not gone into a ring of another length.
  local function moveTo(longer, packed, count)
    head, size, length = 0, count, longer
    redis.call('SET', key, string.rep('\0', HEADER) .. packed .. string.rep('\0', (longer - count) * 8))
  end

  local pending = {} -- slots to be written, with their bytes

  local state = { capacity = capacity }

  function state.used()
    return size - gone
  end

  function state.admits(cost)
    return size - gone <= capacity - cost
  end

  function state.latest()
    return last
  end

  function state.take(time, cost)
    last = math.max(time, last)
    pending = { struct.pack('>d', last), cost }
    if size == gone then oldest = last end
    newest = last
    size = size + cost
  end

  function state.readyAt(cost)
    if state.admits(cost) then return now end
    return entry(size + cost - capacity - 1) + period
  end

  function state.freshAt()
    if size == 0 then return ANCIENT end
    return newest + period
  end

  function state.departsAt()
    return now
  end

  function state.giveBack(takenAt, cost)
    if takenAt <= math.max(now, last) - period then return end
    local from = countUpTo(takenAt - 1)
    local removed = math.min(cost, size - from)
    if removed == 0 then return end
    local kept = entries(gone, from - gone) .. entries(from + removed, size - from - removed)
    gone = 0
    moveTo(length, kept, #kept / 8)
    if size > 0 then
      oldest = struct.unpack('>d', kept)
      newest = struct.unpack('>d', kept, #kept - 7)
    end
  end

  function state.write()
    local instant, cost = unpack(pending)
    if cost then
      local live = size - gone - cost
      if live + cost > length then
        local packed = entries(gone, live)
        if live > 0 then oldest = struct.unpack('>d', packed) end
        moveTo(math.max(live + cost, math.min(capacity, math.max(8, 2 * length))), packed, live)
      else
        if gone > 0 and live > 0 then oldest = entry(gone) end
        head = head + gone
        if head >= length then head = head - length end
        size = live
      end
      gone = 0
      local from = slot(size)
      local straight = math.min(cost, (HEADER + length * 8 - from) / 8)
      redis.call('SETRANGE', key, from, string.rep(instant, straight))
      if straight < cost then
        redis.call('SETRANGE', key, HEADER, string.rep(instant, cost - straight))
      end
      size = size + cost
    end
    if length > 0 then
      redis.call('SETRANGE', key, 0, struct.pack('>dddddd', head, size, length, last, oldest, newest))
      keepOn(key, state.freshAt())
    end
  end

  return state
end
