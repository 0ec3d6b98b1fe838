-- Twin of SlidingWindow.java: permits by slice, the newest slice and the N before it.
--
-- state    slice length, number of the newest slice, the instant last charged for, then N + 1 counts, oldest first
-- numbers  slice = length of a slice, slices = N, weighted = 1 if the oldest slice counts by its overlap

local function slidingWindow(key, capacity, slice, slices, weighted)
  local length = slices + 1
  local newest, last, sum, ring = floorDiv(now, slice), ANCIENT, 0, {}
  local raw = redis.call('GET', key)
  for i = 1, length do ring[i] = 0 end
  if raw then
    local words = { struct.unpack('>' .. string.rep('d', #raw / 8), raw) }
    local sliceThen, count = words[1], #words - 4 -- unpack adds where it stopped
    newest, last = words[2], words[3]
    if sliceThen == slice and count == length then
      for i = 1, length do ring[i] = words[i + 3] end
    else -- the limit was changed: each slice counts as taken at its last instant
      local newestThen = newest
      newest = floorDiv(math.max(now, last), slice)
      for i = 1, count do
        local lastInstant = math.min((newestThen - count + i + 1) * sliceThen - 1, math.max(now, last))
        local at = length - (newest - floorDiv(lastInstant, slice))
        if at >= 1 then ring[at] = ring[at] + words[i + 3] end
      end
    end
    for i = 1, length do sum = sum + ring[i] end
  end

  local function sliceAt(time)
    if time < (newest + 1) * slice then return newest end
    return floorDiv(time, slice)
  end

  local function fallenOff(current)
    return math.max(0, math.min(current - newest, length))
  end

  local state = { capacity = capacity }

  function state.used()
    local time = math.max(now, last)
    local current = sliceAt(time)
    local gone = fallenOff(current)
    local used = sum
    for i = 1, gone do used = used - ring[i] end
    if weighted == 1 and gone < length then
      local partial = ring[gone + 1]
      local overlap = (current + 1) * slice - time
      used = used - (partial - ceilDiv(partial * overlap, slice))
    end
    return used
  end

  function state.admits(cost)
    return state.used() <= capacity - cost
  end

  function state.take(time, cost)
    last = math.max(time, last)
    local current = sliceAt(last)
    local gone = fallenOff(current)
    for i = 1, gone do sum = sum - ring[i] end
    for i = 1, length do ring[i] = ring[i + gone] or 0 end
    newest = current
    ring[length] = ring[length] + cost
    sum = sum + cost
  end

  function state.latest()
    return last
  end

  function state.readyAt(cost)
    if state.admits(cost) then return now end
    local most = capacity - cost
    local count = sum
    for i = 1, length do
      local falling = ring[i]
      local fallsOffAt = (newest + i) * slice
      if count - falling <= most and fallsOffAt > now then
        if weighted == 0 then return fallsOffAt end
        local spare = most - (count - falling)
        if spare >= falling then return fallsOffAt - slice end
        return fallsOffAt - floorDiv(spare * slice, falling)
      end
      count = count - falling
    end
    return now
  end

  function state.freshAt()
    for i = length, 1, -1 do
      if ring[i] ~= 0 then return (newest + i) * slice end
    end
    return ANCIENT
  end

  function state.departsAt()
    return now
  end

  function state.giveBack(takenAt, cost)
    local from = floorDiv(takenAt, slice)
    if from < sliceAt(math.max(now, last)) - slices then return end
    local remaining = cost
    for current = from, newest do
      local at = current - (newest - slices) + 1
      local given = math.min(remaining, ring[at])
      ring[at] = ring[at] - given
      sum = sum - given
      remaining = remaining - given
    end
  end

  function state.write()
    local format = '>' .. string.rep('d', length + 3)
    keep(key, struct.pack(format, slice, newest, last, unpack(ring)), state.freshAt())
  end

  return state
end
