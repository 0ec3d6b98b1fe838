-- What all algorithms share in reading a state.

--@continue
-- Only if the limit continues the counts of others, whose states have other names. It gets a copy of the one in which most is
-- in use, if it has no state. Where it has had its name before, its own state may be older than theirs: then the copy takes
-- its place if it was charged later, and the own one was not charged since the other was made of it, so that nothing is lost.
do
  --@search
  local function inUse(raw) -- permits, and when they were last charged
    --@inUse
    return 0, ANCIENT
  end
  local function follows(raw, own) -- whether own was not charged since raw was made of it
    --@follows
    return true
  end
  local isOwn = try('EXISTS', key_) ~= 0
  local most, since, own, before, from = 0, ANCIENT, nil, nil, nil
  if isOwn and returns_ then
    local raw = try('GET', key_)
    if type(raw) == 'string' then most, since = inUse(raw) end
    if most > 0 then own = raw end
  end
  if returns_ or not isOwn then
    for i = k + k_ + 1, k + k_ + names_ do
      local other = try('GET', KEYS[i])
      if type(other) == 'string' then
        local used, last = inUse(other)
        if used > most and last > since and (not own or follows(other, own)) then
          most, before, from = used, other, KEYS[i]
        end
      end
    end
  end
  if before then
    local copied = false
    --@copy
    if copied then
      copies = copies or {}
      copies[key_] = true
    end
  end
end

--@migrate
-- The copy is written anew with the numbers of this limit, so that it ends when those say.
if copies and copies[key_] and problem ~= 4 then
  freshAt_ = ANCIENT
  --@fresh
  --@write
end

--@broken
-- The state cannot be, so it is deleted and the caller asks again.
problem, broken = 4, broken or {}
broken[#broken + 1] = key_

--@suspect
if raw_ then
  local claim
  --@claim
  --@verify
end
