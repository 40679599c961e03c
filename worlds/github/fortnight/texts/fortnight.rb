# frozen_string_literal: true

require_relative "fortnight/units"
require_relative "fortnight/interval"
require_relative "fortnight/words"
require_relative "fortnight/reader"
require_relative "fortnight/writer"
require_relative "fortnight/round"
require_relative "fortnight/compare"

# Lengths of time as people say them.
module Fortnight
  # Reads a text in a language.
  def self.read(text, language = :en)
    Reader.read(text, Words.of(language))
  end
end
