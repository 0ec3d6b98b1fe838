-- What all algorithms share in reading a state.

--@continue
-- Only if the limit continues the counts of another: if it has no state, it gets a copy of the other's.
if try('EXISTS', key_) == 0 then
  local before = try('GET', KEYS[k + k_ + 1])
  if type(before) == 'string' then
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
